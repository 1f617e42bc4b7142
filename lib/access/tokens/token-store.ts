import { timingSafeEqual } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { InvalidFieldError } from '../../contract/errors.ts';
import { quoted } from '../../contract/input/legible.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { PRINCIPAL_KINDS } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';
import { generateToken, hashToken, isWellFormed, tokenIdOf } from './api-tokens.ts';

const KIND = PRINCIPAL_KINDS.token;

const TOKEN_STATES = ['active', 'suspended', 'revoked'] as const;
export type TokenState = (typeof TOKEN_STATES)[number];

const tokenSchema = z.object({
  id: z.string(),
  hash: z.string(),
  /** The hash of the first of the tokens that this one replaces, each its predecessor; absent: it replaces none. */
  lineage: z.string().optional(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  state: z.enum(TOKEN_STATES),
  created_at: z.string(),
  expires_at: z.string().optional(),
  last_used_at: z.string().optional(),
});
type TokenItem = z.output<typeof tokenSchema>;

/** A token's metadata, without the token and hashes. */
export type TokenInfo = Omit<TokenItem, 'hash' | 'lineage'>;

/** Milliseconds between writes of a token's last use. */
const LAST_USED_INTERVAL_MS = 3_600_000;

/** From year 10,000 on, RFC 3339 times have more digits and no longer sort as text. */
const END_OF_TIME = Date.UTC(10_000, 0);

/** API tokens, by hash. */
export class TokenStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(options: Registry & { clock: Clock }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
  }

  /**
   * Creates a token. The text is returned only here; the store keeps its hash.
   * @param options.expiresIn milliseconds; or `expiresAt`: milliseconds since 1970
   * @param options.replaces id of a token whose idempotency keys the new one takes over; that token stays as it is
   * @throws InvalidFieldError for an `expiresAt` in the past, or if there is no token to replace
   */
  async create(options: {
    name: string;
    scopes: readonly Scope[];
    expiresIn?: number;
    expiresAt?: number;
    replaces?: string;
  }): Promise<TokenInfo & { token: string }> {
    const token = generateToken();
    const hash = hashToken(token);
    const now = this.#clock.now();
    const expiry = expiryOf(options, now);
    const lineage = options.replaces === undefined ? undefined : await this.#lineageOf(options.replaces);
    const item: TokenItem = {
      id: tokenIdOf(hash),
      hash,
      ...(lineage !== undefined && { lineage }),
      name: options.name,
      scopes: [...options.scopes],
      state: 'active',
      created_at: timestamp(now),
      ...(expiry !== undefined && { expires_at: timestamp(expiry) }),
    };
    const command = new PutCommand({
      TableName: this.#tableName,
      Item: { kind: KIND, ...item },
      ConditionExpression: 'attribute_not_exists(id)',
    });
    await this.#table.send(command).catch((error: unknown) => {
      // The id is random: the token is there because the SDK has repeated a write that was applied but not answered.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
    return { ...info(item), token };
  }

  /**
   * The active token with this text; undefined, without the reason, if it is invalid. Consistent read: a revocation
   * takes effect at once.
   */
  async verify(text: string): Promise<(TokenInfo & { lineage: string }) | undefined> {
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
    if (item.last_used_at === undefined || Date.parse(item.last_used_at) < now - LAST_USED_INTERVAL_MS)
      await this.#markUsed(item.id, now);
    return { ...info(item), lineage: lineageIn(item) };
  }

  async list(): Promise<TokenInfo[]> {
    const tokens: TokenInfo[] = [];
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': KIND },
    });
    for await (const item of items) tokens.push(info(tokenSchema.parse(item)));
    return tokens.sort((a, b) => b.created_at.localeCompare(a.created_at));
  }

  /**
   * Suspends, resumes or revokes a token. A revoked token stays revoked.
   * @returns the updated token, or why nothing changed
   */
  async setState(id: string, state: TokenState): Promise<TokenInfo | 'unknown' | 'revoked'> {
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
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return info(tokenSchema.parse(Attributes));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return error.Item === undefined ? 'unknown' : 'revoked';
      throw error;
    }
  }

  async #lineageOf(id: string): Promise<string> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id }, ConsistentRead: true }),
    );
    if (Item === undefined)
      throw InvalidFieldError.of('replaces', `received ${quoted(id)}; there is no token of this id`);
    return lineageIn(tokenSchema.parse(Item));
  }

  /** Of many concurrent calls only one writes. */
  async #markUsed(id: string, now: number): Promise<void> {
    try {
      await this.#table.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: { kind: KIND, id },
          UpdateExpression: 'SET last_used_at = :now',
          ConditionExpression:
            'attribute_exists(id) AND (attribute_not_exists(last_used_at) OR last_used_at < :before)',
          ExpressionAttributeValues: { ':now': timestamp(now), ':before': timestamp(now - LAST_USED_INTERVAL_MS) },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}

function expiryOf({ expiresIn, expiresAt }: { expiresIn?: number; expiresAt?: number }, now: number) {
  if (expiresAt === undefined) return expiresIn === undefined ? undefined : now + expiresIn;
  if (expiresAt > now && expiresAt < END_OF_TIME) return expiresAt;
  const received = Number.isNaN(new Date(expiresAt).getTime()) ? expiresAt : new Date(expiresAt).toISOString();
  throw InvalidFieldError.of(
    'expires_at',
    `received ${received}; expected a time to come (it is ${timestamp(now)}), up to the year 9999`,
  );
}

function lineageIn({ lineage, hash }: TokenItem): string {
  return lineage ?? hash;
}

function info({ hash: _hash, lineage: _lineage, ...rest }: TokenItem): TokenInfo {
  return rest;
}
