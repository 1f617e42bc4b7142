import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import type { Status } from '../../contract/schemas/job.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import { jobItemSchema } from '../lifecycle/job.ts';
import { matchLabels } from './job-labels.ts';
import { matchTexts } from './job-texts.ts';
import { keySchema, type ListedKey, partitionOf, readCursor, writeCursor } from './list-position.ts';
import { monthAfter, monthBefore, monthOf, monthPartitions } from './month-partitions.ts';
import type { MatchedRow } from './search-words.ts';

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

/** List fields that no index contains: read from the job's item, as far as possible if it is damaged or newer. */
const detailsSchema = jobItemSchema
  .pick({
    created_at: true,
    created_by: true,
    agent: true,
    model_used: true,
    timeout: true,
    copied_from: true,
    exit_code: true,
    signal: true,
    error: true,
  })
  .extend({ labels: jobItemSchema.shape.labels })
  .partial();
export type JobDetails = z.output<typeof detailsSchema>;

/** Selects jobs by state and creation time, and their order. */
export interface IndexRange {
  readonly status?: Status | undefined;
  /** RFC 3339 with milliseconds, in UTC; both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
}

/** The result of searching some months. */
export interface Found {
  readonly jobs: readonly (Summary & { readonly details: JobDetails })[];
  /** The month to continue with, as `2026-11`; undefined: all have been searched. */
  readonly next: string | undefined;
}

export interface IndexPage {
  readonly items: readonly Summary[];
  readonly nextCursor: string | undefined;
}

type Key = Record<string, unknown>;

const OLDEST = '0000';
const NEWEST = '9999';

/** The jobs in order of creation, all or those in one state; eventually consistent. */
export class JobIndex {
  readonly #table: DynamoDBDocumentClient;
  readonly #jobsTable: string;
  readonly #registryTable: string;

  constructor(options: { table: DynamoDBDocumentClient; jobsTable: string; registryTable: string }) {
    this.#table = options.table;
    this.#jobsTable = options.jobsTable;
    this.#registryTable = options.registryTable;
  }

  /** One Query for the first page; an offset reads the entries that it skips. */
  async page(wanted: IndexRange & { limit: number; offset: number; cursor: string | undefined }): Promise<IndexPage> {
    const items: Summary[] = [];
    let skip = wanted.offset;
    let from: Key | undefined =
      wanted.cursor === undefined ? undefined : readCursor(wanted.cursor, keySchema(wanted.status));
    do {
      const page = await this.#query(wanted, skip + wanted.limit - items.length, from);
      items.push(...page.items.slice(skip));
      skip -= Math.min(skip, page.items.length);
      from = page.last;
    } while (items.length < wanted.limit && from !== undefined);
    return { items, nextCursor: from && writeCursor(from) };
  }

  /** The jobs of a range, one Query page at a time. @param after the job to continue after */
  async *pages(range: IndexRange, after: ListedKey | undefined): AsyncGenerator<readonly Summary[]> {
    let from: Key | undefined = after && { ...after, ...partitionOf(range.status) };
    do {
      const page = await this.#query(range, undefined, from);
      yield page.items;
      from = page.last;
    } while (from !== undefined);
  }

  /** Fields that no index contains, by job id; a job that was just removed has none. */
  async details(jobs: readonly Pick<Summary, 'id'>[]): Promise<ReadonlyMap<string, JobDetails>> {
    const items = await this.#items(jobs.map(({ id }) => id));
    return new Map(items.map((item) => [String(item.id), detailsOf(item)]));
  }

  /**
   * Finds jobs whose current texts and labels together contain all the words. Searches whole months until the given
   * number of rows has been read.
   * @param words of `searchWords`, at least one
   * @param options.month the first month to search; default: that of the range's newest, or oldest, job
   */
  async search(
    words: readonly string[],
    range: IndexRange,
    { now, month, mostRows }: { now: number; month: string | undefined; mostRows: number },
  ): Promise<Found> {
    const oldest = await this.#oldestMonth();
    if (oldest === undefined) return { jobs: [], next: undefined };
    const [first, last] = [later(oldest, monthIn(range.from)), earlier(monthOf(now), monthIn(range.to))];
    const isForward = range.order === 'oldest';
    const jobs: Found['jobs'][number][] = [];
    let at = month ?? (isForward ? first : last);
    for (
      let rows = 0;
      at >= first && at <= last && rows < mostRows;
      at = isForward ? monthAfter(at) : monthBefore(at)
    ) {
      const found = await this.#searchMonth(at, words);
      rows += found.rows;
      jobs.push(...found.jobs);
    }
    const inRange = jobs.filter(
      ({ created_at: created }) => created >= (range.from ?? OLDEST) && created <= (range.to ?? NEWEST),
    );
    const sorted = inRange.sort((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id));
    return { jobs: isForward ? sorted.reverse() : sorted, next: at >= first && at <= last ? at : undefined };
  }

  async #query(range: IndexRange, limit: number | undefined, from: Key | undefined) {
    const { status, order } = range;
    const isBounded = range.from !== undefined || range.to !== undefined;
    const [[name, value] = []] = Object.entries(partitionOf(status));
    const { Items = [], LastEvaluatedKey } = await this.#table.send(
      new QueryCommand({
        TableName: this.#jobsTable,
        IndexName: status === undefined ? 'by-time' : 'by-status',
        KeyConditionExpression: isBounded ? '#key = :key AND #created_at BETWEEN :from AND :to' : '#key = :key',
        ExpressionAttributeNames: { '#key': name ?? '', ...(isBounded && { '#created_at': 'created_at' }) },
        ExpressionAttributeValues: {
          ':key': value,
          ...(isBounded && { ':from': range.from ?? OLDEST, ':to': range.to ?? NEWEST }),
        },
        ScanIndexForward: order === 'oldest',
        ...(limit !== undefined && { Limit: limit }),
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    return { items: Items.map((item) => summarySchema.parse(item)), last: LastEvaluatedKey };
  }

  async #oldestMonth(): Promise<string | undefined> {
    const { items } = await this.#query({ order: 'oldest' }, 1, undefined);
    return items[0]?.created_at.slice(0, 7);
  }

  async #searchMonth(month: string, words: readonly string[]): Promise<{ rows: number; jobs: Found['jobs'] }> {
    const kinds = [
      ...monthPartitions('texts', month).map((partition) => ({ partition, match: matchTexts })),
      ...monthPartitions('labels', month).map((partition) => ({ partition, match: matchLabels })),
    ];
    const searched = await Promise.all(kinds.map(({ partition, match }) => this.#matchesIn(partition, words, match)));
    const rows = searched.reduce((total, { read }) => total + read, 0);
    const matched = searched.flatMap(({ matched: rowsOfOne }) => rowsOfOne);
    return { rows, jobs: await this.#current(matched, words.length) };
  }

  async #matchesIn(partition: string, words: readonly string[], match: typeof matchLabels) {
    const matched: MatchedRow[] = [];
    let read = 0;
    const items = queriedItems(this.#table, {
      TableName: this.#registryTable,
      KeyConditionExpression: '#kind = :kind',
      ExpressionAttributeNames: { '#kind': 'kind' },
      ExpressionAttributeValues: { ':kind': partition },
    });
    for await (const item of items) {
      read += 1;
      const row = match(item, words);
      if (row.found.length > 0) matched.push(row);
    }
    return { matched, read };
  }

  /** The jobs whose rows together contain that many words. Ignores rows that an edit has replaced. */
  async #current(rows: readonly MatchedRow[], wanted: number): Promise<Found['jobs']> {
    const wordsOf = new Map<string, Set<string>>();
    const foundAt = new Map<string, readonly string[]>();
    for (const { id, address, found } of rows) {
      wordsOf.set(id, new Set([...(wordsOf.get(id) ?? []), ...found]));
      foundAt.set(`${id}#${address}`, found);
    }
    const items = await this.#items([...wordsOf].filter(([, words]) => words.size === wanted).map(([id]) => id));
    return items
      .filter(({ id, texts, labels }) => {
        const current = [texts, labels].flatMap((address) => foundAt.get(`${id}#${address}`) ?? []);
        return new Set(current).size === wanted;
      })
      .map((item) => ({ ...summarySchema.parse(item), details: detailsOf(item) }));
  }

  async #items(ids: readonly string[]): Promise<Key[]> {
    return await batchGet(
      this.#table,
      this.#jobsTable,
      ids.map((id) => ({ id })),
    );
  }
}

function detailsOf(item: Key): JobDetails {
  return detailsSchema.safeParse(item).data ?? {};
}

function monthIn(time: string | undefined): string | undefined {
  return time?.slice(0, 7);
}

function later(month: string, other: string | undefined): string {
  return other !== undefined && other > month ? other : month;
}

function earlier(month: string, other: string | undefined): string {
  return other !== undefined && other < month ? other : month;
}
