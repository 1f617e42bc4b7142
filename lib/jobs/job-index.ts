import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { queriedItems } from '../aws/queried-items.ts';
import { ApiError } from '../contract/errors.ts';
import type { Status } from '../contract/schemas/job.ts';
import { jobItemSchema, LIST_KEY, statusKey } from './job.ts';
import { matchTexts, textPartitions } from './job-texts.ts';

/** What a list shows of a job. */
const summarySchema = jobItemSchema.pick({
  id: true,
  status: true,
  reason: true,
  project_id: true,
  project: true,
  profile: true,
  model: true,
  priority: true,
  cwd: true,
  prompt_preview: true,
  attempt: true,
  due_at: true,
  created_at: true,
  queued_at: true,
  started_at: true,
  finished_at: true,
  cancel_requested_at: true,
  parent_id: true,
});
export type Summary = z.output<typeof summarySchema>;

export interface IndexPage {
  readonly items: readonly Summary[];
  readonly nextCursor: string | undefined;
}

type Key = Record<string, unknown>;

/** DynamoDB takes at most this many keys in one request. */
const BATCH = 100;

/** The jobs in order of creation, newest first, all of them or those in a state; eventually consistent. */
export class JobIndex {
  readonly #table: DynamoDBDocumentClient;
  readonly #jobsTable: string;
  readonly #registryTable: string;

  constructor(options: { table: DynamoDBDocumentClient; jobsTable: string; registryTable: string }) {
    this.#table = options.table;
    this.#jobsTable = options.jobsTable;
    this.#registryTable = options.registryTable;
  }

  /** One Query for the first page; an offset reads what it skips. */
  async page(wanted: {
    status: Status | undefined;
    limit: number;
    offset: number;
    cursor: string | undefined;
  }): Promise<IndexPage> {
    const items: Summary[] = [];
    let skip = wanted.offset;
    let from: Key | undefined =
      wanted.cursor === undefined ? undefined : readCursor(wanted.cursor, keySchema(wanted.status));
    do {
      const page = await this.#query(wanted.status, skip + wanted.limit - items.length, from);
      items.push(...page.items.slice(skip));
      skip -= Math.min(skip, page.items.length);
      from = page.last;
    } while (items.length < wanted.limit && from !== undefined);
    return { items, nextCursor: from && writeCursor(from) };
  }

  async *all(status: Status | undefined): AsyncGenerator<Summary> {
    let from: Key | undefined;
    do {
      const page = await this.#query(status, undefined, from);
      yield* page.items;
      from = page.last;
    } while (from !== undefined);
  }

  /** The jobs whose texts, as they now are, contain the lower-cased `needle`. */
  async search(needle: string, now: number): Promise<Summary[]> {
    const found: Summary[] = [];
    const oldest = await this.#oldestMonth();
    for (let month = monthOf(now); oldest !== undefined && month >= oldest; month = monthBefore(month)) {
      const matches = await Promise.all(textPartitions(month).map((partition) => this.#matchesIn(partition, needle)));
      found.push(...(await this.#current(new Map(matches.flat()))));
    }
    return found.sort((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id));
  }

  /** A cursor for lists that are counted through. */
  cursorAt(position: number): string {
    return writeCursor({ position });
  }

  position(cursor: string): number {
    return readCursor(cursor, z.strictObject({ position: z.number().int().min(0) })).position;
  }

  async #query(status: Status | undefined, limit: number | undefined, from: Key | undefined) {
    const { Items = [], LastEvaluatedKey } = await this.#table.send(
      new QueryCommand({
        TableName: this.#jobsTable,
        IndexName: status === undefined ? 'by-time' : 'by-status',
        KeyConditionExpression: '#key = :key',
        ExpressionAttributeNames: { '#key': status === undefined ? 'list_key' : 'status_key' },
        ExpressionAttributeValues: { ':key': status === undefined ? LIST_KEY : statusKey(status) },
        ScanIndexForward: false,
        ...(limit !== undefined && { Limit: limit }),
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    return { items: Items.map((item) => summarySchema.parse(item)), last: LastEvaluatedKey };
  }

  async #oldestMonth(): Promise<string | undefined> {
    const { Items = [] } = await this.#table.send(
      new QueryCommand({
        TableName: this.#jobsTable,
        IndexName: 'by-time',
        KeyConditionExpression: '#key = :key',
        ExpressionAttributeNames: { '#key': 'list_key' },
        ExpressionAttributeValues: { ':key': LIST_KEY },
        Limit: 1,
      }),
    );
    return Items[0] && summarySchema.parse(Items[0]).created_at.slice(0, 7);
  }

  async #matchesIn(partition: string, needle: string): Promise<[id: string, texts: string][]> {
    const matches: [string, string][] = [];
    const items = queriedItems(this.#table, {
      TableName: this.#registryTable,
      KeyConditionExpression: '#kind = :kind',
      ExpressionAttributeNames: { '#kind': 'kind' },
      ExpressionAttributeValues: { ':kind': partition },
    });
    for await (const item of items) {
      const { id, texts, matches: isMatch } = matchTexts(item, needle);
      if (isMatch) matches.push([`${id}#${texts}`, id]);
    }
    return matches;
  }

  /** The jobs of these texts, but for texts that an edit has replaced. */
  async #current(matches: ReadonlyMap<string, string>): Promise<Summary[]> {
    const ids = [...new Set(matches.values())];
    const summaries: Summary[] = [];
    for (let at = 0; at < ids.length; at += BATCH) {
      const items = await this.#batch(ids.slice(at, at + BATCH).map((id) => ({ id })));
      summaries.push(
        ...items.filter((item) => matches.has(`${item.id}#${item.texts}`)).map((item) => summarySchema.parse(item)),
      );
    }
    return summaries;
  }

  async #batch(keys: readonly Key[]): Promise<Key[]> {
    const found: Key[] = [];
    let left: readonly Key[] | undefined = keys;
    while (left !== undefined && left.length > 0) {
      const answer: BatchGetCommandOutput = await this.#table.send(
        new BatchGetCommand({ RequestItems: { [this.#jobsTable]: { Keys: [...left] } } }),
      );
      found.push(...(answer.Responses?.[this.#jobsTable] ?? []));
      left = answer.UnprocessedKeys?.[this.#jobsTable]?.Keys;
    }
    return found;
  }
}

/** The keys of an item and of its index, which say where a Query goes on; those of another list the table would refuse as a fault of ours. */
function keySchema(status: Status | undefined) {
  const index = status === undefined ? { list_key: z.literal(LIST_KEY) } : { status_key: z.literal(statusKey(status)) };
  return z.strictObject({ id: z.string().min(1), created_at: z.string().min(1), ...index });
}

function writeCursor(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function readCursor<S extends z.ZodType>(cursor: string, schema: S): z.output<S> {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw ApiError.because(
      'invalid_request',
      `query.cursor: received ${JSON.stringify(cursor.slice(0, 60))}; give next_cursor of the page before, with the same filters`,
    );
  }
}

function monthOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 7);
}

function monthBefore(month: string): string {
  return monthOf(Date.parse(`${month}-01T00:00:00.000Z`) - 1);
}
