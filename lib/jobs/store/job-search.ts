import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import { jobItemSchema } from '../lifecycle/job.ts';
import { labelsKey, matchLabels } from './job-labels.ts';
import { matchTexts, textsKey } from './job-texts.ts';
import { type IndexRange, oldestFirst } from './listed-items.ts';
import { monthAfter, monthBefore, monthOf, monthPartitions } from './month-partitions.ts';
import type { MatchedRow } from './search-words.ts';

type Item = Record<string, unknown>;

interface SearchOptions {
  readonly table: DynamoDBDocumentClient;
  readonly registryTable: string;
  /** The items of these jobs, in no order; missing ones are left out. */
  readonly itemsOf: (ids: readonly string[]) => Promise<Item[]>;
}

/** What one request may read of texts and labels. */
export interface SearchLimit {
  readonly rows: number;
  readonly bytes: number;
}

const OLDEST = '0000';
const NEWEST = '9999';

/** The members of a job that locate its texts and labels. */
const ownerSchema = jobItemSchema.pick({ id: true, created_at: true, texts: true, labels: true });

/**
 * Finds jobs by the rows with their texts and labels, which are stored by month of creation and in no order of time. A
 * month with more rows than a request may read is therefore searched job by job, in the order of the list.
 */
export class JobSearch {
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /**
   * Searches whole months, as many as the limit allows.
   * @param options.oldest the month of the oldest job
   * @returns items in order, the month to continue with, and whether that month alone has more than may be read: then
   * there are no items
   */
  async search(
    words: readonly string[],
    range: IndexRange,
    { now, month, limit, oldest }: { now: number; month: string | undefined; limit: SearchLimit; oldest: string },
  ): Promise<{ items: Item[]; next: string | undefined; isTooLarge: boolean }> {
    const [first, last] = [later(oldest, monthIn(range.from)), earlier(monthOf(now), monthIn(range.to))];
    const isForward = range.order === 'oldest';
    const read = new RowsRead(limit);
    const items: Item[] = [];
    let at = month ?? (isForward ? first : last);
    while (at >= first && at <= last && !read.isAtLimit) {
      const isFirst = read.isEmpty;
      items.push(...(await this.#searchMonth(at, words, read)));
      if (read.isBeyondLimit) return { items: inOrder(items, range), next: at, isTooLarge: isFirst };
      at = isForward ? monthAfter(at) : monthBefore(at);
    }
    return { items: inOrder(items, range), next: at >= first && at <= last ? at : undefined, isTooLarge: false };
  }

  /** Those of the jobs whose current texts and labels together contain all the words, and the size of what was read. */
  async among(
    ids: readonly string[],
    words: readonly string[],
  ): Promise<{ found: ReadonlySet<string>; bytes: number }> {
    const owners = (await this.#options.itemsOf(ids)).map((item) => ownerSchema.parse(item));
    const { table, registryTable } = this.#options;
    const [texts, labels] = await Promise.all([
      batchGet(table, registryTable, owners.map(textsKey)),
      batchGet(table, registryTable, owners.filter((owner) => owner.labels !== undefined).map(labelsKey)),
    ]);
    const rows = [...texts.map((item) => matchTexts(item, words)), ...labels.map((item) => matchLabels(item, words))];
    const found = [...wordsByJob(rows)].filter(([, contained]) => contained.size === words.length).map(([id]) => id);
    return { found: new Set(found), bytes: [...texts, ...labels].reduce((total, item) => total + sizeOf(item), 0) };
  }

  /** @returns nothing once more has been read than the limit allows */
  async #searchMonth(month: string, words: readonly string[], read: RowsRead): Promise<Item[]> {
    const kinds = [
      ...monthPartitions('texts', month).map((partition) => ({ partition, match: matchTexts })),
      ...monthPartitions('labels', month).map((partition) => ({ partition, match: matchLabels })),
    ];
    const matched = await Promise.all(
      kinds.map(async ({ partition, match }) => await this.#matchesIn(partition, words, { match, read })),
    );
    return read.isBeyondLimit ? [] : await this.#current(matched.flat(), words.length);
  }

  async #matchesIn(
    partition: string,
    words: readonly string[],
    { match, read }: { match: typeof matchLabels; read: RowsRead },
  ): Promise<MatchedRow[]> {
    const matched: MatchedRow[] = [];
    const items = queriedItems(this.#options.table, {
      TableName: this.#options.registryTable,
      KeyConditionExpression: '#kind = :kind',
      ExpressionAttributeNames: { '#kind': 'kind' },
      ExpressionAttributeValues: { ':kind': partition },
    });
    for await (const item of items) {
      read.add(item);
      if (read.isBeyondLimit) break;
      const row = match(item, words);
      if (row.found.length > 0) matched.push(row);
    }
    return matched;
  }

  /** The jobs whose rows together contain that many words. Ignores rows that an edit has replaced. */
  async #current(rows: readonly MatchedRow[], wanted: number): Promise<Item[]> {
    const foundAt = new Map(rows.map(({ id, address, found }) => [`${id}#${address}`, found]));
    const items = await this.#options.itemsOf(
      [...wordsByJob(rows)].filter(([, words]) => words.size === wanted).map(([id]) => id),
    );
    return items.filter(({ id, texts, labels }) => {
      const current = [texts, labels].flatMap((address) => foundAt.get(`${id}#${address}`) ?? []);
      return new Set(current).size === wanted;
    });
  }
}

/** Counts the rows that a search reads. */
class RowsRead {
  readonly #limit: SearchLimit;
  #rows = 0;
  #bytes = 0;

  constructor(limit: SearchLimit) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  get isAtLimit(): boolean {
    return this.#rows >= this.#limit.rows || this.#bytes >= this.#limit.bytes;
  }

  get isBeyondLimit(): boolean {
    return this.#rows > this.#limit.rows || this.#bytes > this.#limit.bytes;
  }

  add(row: Item): void {
    this.#rows += 1;
    this.#bytes += sizeOf(row);
  }
}

/** About the size of a row in bytes: its texts are nearly all of it. */
function sizeOf(row: Item): number {
  return Object.values(row).reduce<number>((total, value) => total + String(value).length, 0);
}

/** The words that the rows of each job contain together. */
function wordsByJob(rows: readonly MatchedRow[]): Map<string, Set<string>> {
  const words = new Map<string, Set<string>>();
  for (const { id, found } of rows) words.set(id, new Set([...(words.get(id) ?? []), ...found]));
  return words;
}

/** The items of the range, sorted by their jobs' creation. */
function inOrder(items: readonly Item[], { from = OLDEST, to = NEWEST, order }: IndexRange): Item[] {
  const keyed = items.map((item) => ({ id: String(item.id), created_at: String(item.created_at), item }));
  const sorted = keyed.filter((one) => one.created_at >= from && one.created_at <= to).sort(oldestFirst);
  const sortedItems = sorted.map(({ item }) => item);
  return order === 'oldest' ? sortedItems : sortedItems.reverse();
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
