import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { InvalidFieldError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { type Clock, timestamp } from '../platform/aws/table-clock.ts';
import { AUDIT_KIND } from '../platform/aws/tables.ts';
import type { Registry } from '../platform/registry.ts';

/**
 * The audit log: one row for each audited call, and for each job that a job started in its own name. A
 * row names the actor, the action, the target, the address and the status, never a secret. Rows of one time and
 * request replace each other, so a repeated write leaves one row. They are indexed by time, and expire.
 */

const DAY_MS = 86_400_000;
/** Rows that one Query reads, and that a page examines before it returns what it has found. */
const ROWS_PER_QUERY = 500;

const rowSchema = z.object({
  /** Time and request id, so that rows sort by time. */
  id: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.record(z.string(), z.string()),
  source_ip: z.string().nullable(),
  status: z.number(),
  request_id: z.string(),
});

type AuditRow = z.output<typeof rowSchema>;

/** One entry. Must not hold a secret. */
interface AuditEntry {
  /** Name of the principal. */
  readonly actor: string;
  /** `resource.verb` from the routing table, or another action: `sessions.sign-in`. */
  readonly action: string;
  /** The path parameters, by name. */
  readonly target: Readonly<Record<string, string>>;
  readonly sourceIp: string | undefined;
  /** HTTP status of the answer. */
  readonly status: number;
  /** An entry that has the time and request of another one replaces it. */
  readonly requestId: string;
  /** RFC 3339 with milliseconds; default: the table's time. */
  readonly at?: string;
}

interface AuditQuery {
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** RFC 3339 with milliseconds; `since` is inclusive, `until` exclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The rows of a query between two ids. */
interface RowQuery {
  readonly from: string;
  readonly to: string;
  readonly query: Pick<AuditQuery, 'actor' | 'action'>;
  readonly limit: number;
  readonly isForward: boolean;
  readonly position: { readonly kind: string; readonly id: string } | undefined;
}

interface AuditPage {
  /** Newest first. With filters a page may be short although more rows follow. */
  readonly items: readonly AuditRow[];
  readonly nextCursor: string | undefined;
}

/** The audit log, kept for `LIMITS.auditDays`. */
export class AuditLog {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #log: { error(message: string, details: Record<string, unknown>): void };

  constructor(
    options: Registry & {
      clock: Clock;
      /** Receives rows that could not be written. */
      log: { error(message: string, details: Record<string, unknown>): void };
    },
  ) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /**
   * Writes a row. The action has already happened, so a failed write is logged, not thrown: an error response would
   * make the client repeat the action.
   */
  async record({ sourceIp, requestId, at, ...entry }: AuditEntry): Promise<void> {
    const now = at === undefined ? this.#clock.now() : Date.parse(at);
    const row: AuditRow = {
      ...entry,
      id: `${timestamp(now)}#${requestId}`,
      at: timestamp(now),
      source_ip: sourceIp ?? null,
      request_id: requestId,
    };
    const expires = { expires_at_epoch: Math.floor((now + LIMITS.auditDays * DAY_MS) / 1000) };
    try {
      await this.#table.send(
        new PutCommand({ TableName: this.#tableName, Item: { kind: AUDIT_KIND, ...row, ...expires } }),
      );
    } catch (error) {
      this.#log.error('audit row lost', { ...row, error: error as Error });
    }
  }

  /** The rows of a query from the oldest on, in parts. @param after the id of a row to continue behind */
  async *oldestFirst(query: Omit<AuditQuery, 'limit' | 'cursor'>, after?: string): AsyncGenerator<readonly AuditRow[]> {
    const oldest = timestamp(this.#clock.now() - LIMITS.auditDays * DAY_MS);
    const from = laterOf(query.since ?? oldest, oldest);
    const to = query.until ?? timestamp(this.#clock.now() + DAY_MS);
    let position = after === undefined || after < from ? undefined : { kind: AUDIT_KIND, id: after };
    if (from >= to || (after ?? '') >= to) return;
    do {
      const page = await this.#query({ from, to, query, limit: ROWS_PER_QUERY, isForward: true, position });
      if (page.items.length > 0) yield page.items;
      position = page.next === undefined ? undefined : { kind: AUDIT_KIND, id: page.next };
    } while (position !== undefined);
  }

  /** @throws InvalidFieldError for an invalid cursor. */
  async list(query: AuditQuery): Promise<AuditPage> {
    const oldest = timestamp(this.#clock.now() - LIMITS.auditDays * DAY_MS);
    const from = laterOf(query.since ?? oldest, oldest);
    const to = query.until ?? timestamp(this.#clock.now() + DAY_MS);
    if (from >= to) return { items: [], nextCursor: undefined };
    const after = query.cursor === undefined ? undefined : readCursor(query.cursor, to);
    // DynamoDB fails on a position outside the range.
    if (after !== undefined && after < from) return { items: [], nextCursor: undefined };
    const isFiltered = query.actor !== undefined || query.action !== undefined;
    const { items: found, next } = await this.#query({
      ...{ from, to, query, isForward: false },
      limit: isFiltered ? ROWS_PER_QUERY : query.limit,
      position: after === undefined ? undefined : { kind: AUDIT_KIND, id: after },
    });
    const items = found.slice(0, query.limit);
    const goOn = found.length > items.length ? items.at(-1)?.id : next;
    return { items, nextCursor: goOn === undefined ? undefined : writeCursor(goOn) };
  }

  /** One Query; `next`: the row behind which the next one continues. */
  async #query({ from, to, query, limit, isForward, position }: RowQuery) {
    const filters = (['actor', 'action'] as const).filter((name) => query[name] !== undefined);
    const { Items = [], LastEvaluatedKey } = await this.#table.send(
      new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: '#kind = :kind AND #id BETWEEN :from AND :to',
        ...(filters.length > 0 && { FilterExpression: filters.map((name) => `#${name} = :${name}`).join(' AND ') }),
        ExpressionAttributeNames: {
          '#kind': 'kind',
          '#id': 'id',
          ...Object.fromEntries(filters.map((name) => [`#${name}`, name])),
        },
        ExpressionAttributeValues: {
          ':kind': AUDIT_KIND,
          ':from': from,
          ':to': to,
          ...Object.fromEntries(filters.map((name) => [`:${name}`, query[name]])),
        },
        ScanIndexForward: isForward,
        Limit: limit,
        ...(position !== undefined && { ExclusiveStartKey: position }),
      }),
    );
    const next: unknown = LastEvaluatedKey?.id;
    return {
      items: Items.map((item) => rowSchema.parse(item)),
      next: typeof next === 'string' ? next : undefined,
    };
  }
}

function laterOf(time: string, other: string): string {
  return time > other ? time : other;
}

function writeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** @throws InvalidFieldError for one of another list, and for one after `to`, with which the page before began later */
function readCursor(cursor: string, to: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{4}-\d\d-\d\dT[\d:.]{12}Z#[\w-]+$/.test(id) && id <= to) return id;
  throw InvalidFieldError.of(
    'cursor',
    `received ${JSON.stringify(cursor.slice(0, 60))}; give next_cursor of the page before, with the same filters`,
  );
}

/** The action of a job that has started another one in its own name. */
export const DELEGATION = 'jobs.delegate';

/**
 * Records the jobs that jobs have started in their own name. Workers create them, and may not write audit rows, since a
 * right to write a row is one to replace any other.
 * @param created `created_by` is the job that started them, as `job:ID`
 */
export async function auditChildren(
  audit: Pick<AuditLog, 'record'>,
  created: readonly Readonly<Record<'id' | 'created_by' | 'created_at', string>>[],
): Promise<void> {
  await Promise.all(
    created.map(async ({ id, created_by: actor, created_at: at }) => {
      await audit.record({
        actor,
        action: DELEGATION,
        target: { id },
        sourceIp: undefined,
        status: 201,
        requestId: id,
        at,
      });
    }),
  );
}
