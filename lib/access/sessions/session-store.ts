import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ROLES, type Role } from '../../contract/roles.ts';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import { PRINCIPAL_KINDS } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';

const KIND = PRINCIPAL_KINDS.session;

/** Milliseconds between writes of a session's last use; shorter where the idle timeout is shorter. */
const LAST_USED_INTERVAL_MS = 5 * 60_000;

const sessionSchema = z.object({
  id: z.string(),
  hash: z.string(),
  subject: z.string(),
  /** Identifies the person in records. */
  name: z.string(),
  email: z.string().optional(),
  role: z.enum(ROLES),
  /** Browser and address of the sign-in, so that people recognise the session; not checked. */
  browser: z.string().optional(),
  address: z.string().optional(),
  created_at: z.string(),
  last_used_at: z.string(),
  /** Extended by use. */
  expires_at: z.string(),
  /** Fixed; use can't extend `expires_at` past it. */
  ends_at: z.string(),
});
type SessionItem = z.output<typeof sessionSchema>;

/** A session without its credential. */
export type Session = Omit<SessionItem, 'hash' | 'ends_at'>;

/** A signed-in person. */
interface Person {
  /** The identity provider's permanent identifier of the person. */
  readonly subject: string;
  readonly email: string | undefined;
  readonly role: Role;
}

/** The browser and address of a sign-in. */
export interface SignInPlace {
  /** Such as `Firefox on Linux`. */
  readonly browser: string | undefined;
  readonly address: string | undefined;
}

/** Browser sessions, by hash of the cookie that proves them. An ended session is deleted. */
export class SessionStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #idle: number;
  readonly #longest: number;

  /** `idleSeconds`: the idle timeout; `maxSeconds`: the total lifetime. */
  constructor(
    options: Registry & {
      clock: Clock;
      idleSeconds: number;
      maxSeconds: number;
    },
  ) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
    this.#idle = options.idleSeconds * 1000;
    this.#longest = options.maxSeconds * 1000;
  }

  /** Starts a session. `cookie` proves it and is returned only here; the store keeps its hash. */
  async start(person: Person, place?: SignInPlace): Promise<{ cookie: string; session: Session }> {
    const cookie = randomBytes(32).toString('base64url');
    const hash = hashOf(cookie);
    const now = this.#clock.now();
    const item: SessionItem = {
      id: idOf(hash),
      hash,
      subject: person.subject,
      name: `user:${person.email ?? person.subject}`,
      ...(person.email !== undefined && { email: person.email }),
      role: person.role,
      ...(place?.browser !== undefined && { browser: place.browser }),
      ...(place?.address !== undefined && { address: place.address }),
      created_at: timestamp(now),
      last_used_at: timestamp(now),
      expires_at: timestamp(now + Math.min(this.#idle, this.#longest)),
      ends_at: timestamp(now + this.#longest),
    };
    await this.#table.send(
      new PutCommand({ TableName: this.#tableName, Item: { kind: KIND, ...item, ...epoch(item.expires_at) } }),
    );
    return { cookie, session: shown(item) };
  }

  /**
   * The session that this cookie proves; undefined, without the reason, if there is none. Consistent read: ending a
   * session takes effect at once.
   */
  async verify(cookie: string): Promise<Session | undefined> {
    if (!isSessionCookie(cookie)) return undefined;
    const hash = hashOf(cookie);
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id: idOf(hash) }, ConsistentRead: true }),
    );
    if (Item === undefined) return undefined;
    const item = sessionSchema.parse(Item);
    const now = this.#clock.now();
    if (!timingSafeEqual(Buffer.from(item.hash), Buffer.from(hash)) || isOver(item, now)) return undefined;
    if (Date.parse(item.last_used_at) > now - Math.min(LAST_USED_INTERVAL_MS, this.#idle / 4)) return shown(item);
    return await this.#noteUse(item, now);
  }

  /** Current sessions, newest first. */
  async list(): Promise<Session[]> {
    const sessions: SessionItem[] = [];
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': KIND },
      ConsistentRead: true,
    });
    for await (const item of items) sessions.push(sessionSchema.parse(item));
    const now = this.#clock.now();
    const live = sessions.filter((item) => !isOver(item, now));
    return live.sort((a, b) => b.created_at.localeCompare(a.created_at)).map(shown);
  }

  /** Ends a session at once. Returns whether there was one. */
  async end(id: string): Promise<boolean> {
    const item = { TableName: this.#tableName, Key: { kind: KIND, id } };
    // Read first: a delete whose answer was lost is repeated, and then finds nothing.
    const { Item } = await this.#table.send(new GetCommand({ ...item, ConsistentRead: true }));
    if (Item === undefined) return false;
    await this.#table.send(new DeleteCommand(item));
    return !isOver(sessionSchema.parse(Item), this.#clock.now());
  }

  /** Ends the session that this cookie proves, if there is one. */
  async endByCookie(cookie: string): Promise<boolean> {
    return await this.end(idOf(hashOf(cookie)));
  }

  /** undefined if the session was ended in the meantime: use must not restore it. */
  async #noteUse(item: SessionItem, now: number): Promise<Session | undefined> {
    const ends = Date.parse(item.ends_at);
    const used = { last_used_at: timestamp(now), expires_at: timestamp(Math.min(now + this.#idle, ends)) };
    try {
      await this.#table.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: { kind: KIND, id: item.id },
          UpdateExpression: 'SET last_used_at = :used, expires_at = :expires, expires_at_epoch = :epoch',
          ConditionExpression: 'attribute_exists(id)',
          ExpressionAttributeValues: {
            ':used': used.last_used_at,
            ':expires': used.expires_at,
            ':epoch': epoch(used.expires_at).expires_at_epoch,
          },
        }),
      );
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
    return shown({ ...item, ...used });
  }
}

/** Whether a text has the form of a session's cookie; it may still be invalid. */
export function isSessionCookie(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Also checks the fixed end, whatever `expires_at` holds. */
function isOver(item: SessionItem, now: number): boolean {
  return item.expires_at <= timestamp(now) || item.ends_at <= timestamp(now);
}

function shown({ hash: _hash, ends_at: _ends, ...rest }: SessionItem): Session {
  return rest;
}

/** When DynamoDB may delete the item. Deletion lags, so an item's presence proves nothing. */
function epoch(expiresAt: string): { expires_at_epoch: number } {
  return { expires_at_epoch: Math.ceil(Date.parse(expiresAt) / 1000) };
}

/** The cookie holds 32 random bytes, so a slow hash adds nothing. */
function hashOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
}

function idOf(hash: string): string {
  return `ses_${hash.slice(0, 24)}`;
}
