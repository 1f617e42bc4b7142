import { timingSafeEqual } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Clock } from '../aws/table-clock.ts';
import { timestamp } from '../aws/table-clock.ts';
import { SCOPES, type Scope } from '../contract/scopes.ts';
import { generateToken, hashToken, isWellFormed, tokenIdOf } from './api-tokens.ts';

const KIND = 'token';

const TOKEN_STATES = ['active', 'suspended', 'revoked'] as const;
export type TokenState = (typeof TOKEN_STATES)[number];

const tokenSchema = z.object({
  id: z.string(),
  hash: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  state: z.enum(TOKEN_STATES),
  created_at: z.string(),
  expires_at: z.string().optional(),
  last_used_at: z.string().optional(),
});
type TokenItem = z.output<typeof tokenSchema>;

/** A token as operators see it; never the token itself, nor its hash. */
export type TokenInfo = Omit<TokenItem, 'hash'>;

/** Last use is written at most this often, in milliseconds. */
const LAST_USED_EVERY = 3_600_000;

/** API tokens, by hash. */
export class TokenStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(options: { table: DynamoDBDocumentClient; registryTable: string; clock: Clock }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
  }

  /** Makes a token. The text is returned this once and kept nowhere. `expiresIn`: milliseconds. */
  async create(options: {
    name: string;
    scopes: readonly Scope[];
    expiresIn?: number;
  }): Promise<TokenInfo & { token: string }> {
    const token = generateToken();
    const hash = hashToken(token);
    const now = this.#clock.now();
    const item: TokenItem = {
      id: tokenIdOf(hash),
      hash,
      name: options.name,
      scopes: [...options.scopes],
      state: 'active',
      created_at: timestamp(now),
      ...(options.expiresIn !== undefined && { expires_at: timestamp(now + options.expiresIn) }),
    };
    await this.#table.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: { kind: KIND, ...item },
        ConditionExpression: 'attribute_not_exists(id)',
      }),
    );
    return { ...info(item), token };
  }

  /** The active, unexpired token that this text is, or undefined, without saying why. Reads consistently: a revocation acts at once. */
  async verify(text: string): Promise<TokenInfo | undefined> {
    if (!isWellFormed(text)) return undefined;
    const hash = hashToken(text);
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id: tokenIdOf(hash) }, ConsistentRead: true }),
    );
    if (Item === undefined) return undefined;
    const item = tokenSchema.parse(Item);
    if (!timingSafeEqual(Buffer.from(item.hash), Buffer.from(hash)) || item.state !== 'active') return undefined;
    const now = this.#clock.now();
    if (item.expires_at !== undefined && item.expires_at <= timestamp(now)) return undefined;
    if (item.last_used_at === undefined || Date.parse(item.last_used_at) < now - LAST_USED_EVERY)
      await this.#markUsed(item.id, now);
    return info(item);
  }

  async list(): Promise<TokenInfo[]> {
    const tokens: TokenInfo[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const page = await this.#table.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: 'kind = :kind',
          ExpressionAttributeValues: { ':kind': KIND },
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      tokens.push(...(page.Items ?? []).map((item) => info(tokenSchema.parse(item))));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return tokens.sort((a, b) => b.created_at.localeCompare(a.created_at));
  }

  /**
   * Suspends, resumes or revokes. A revoked token stays revoked.
   * @returns the token as it then is; undefined if there is none or it is revoked.
   */
  async setState(id: string, state: TokenState): Promise<TokenInfo | undefined> {
    try {
      const { Attributes } = await this.#table.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: { kind: KIND, id },
          UpdateExpression: 'SET #state = :state',
          ConditionExpression: 'attribute_exists(id) AND (#state <> :revoked OR :state = :revoked)',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':state': state, ':revoked': 'revoked' },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return info(tokenSchema.parse(Attributes));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }

  async #markUsed(id: string, now: number): Promise<void> {
    await this.#table.send(
      new UpdateCommand({
        TableName: this.#tableName,
        Key: { kind: KIND, id },
        UpdateExpression: 'SET last_used_at = :now',
        ExpressionAttributeValues: { ':now': timestamp(now) },
      }),
    );
  }
}

function info({ hash: _hash, ...rest }: TokenItem): TokenInfo {
  return rest;
}
