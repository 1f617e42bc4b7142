import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { LaterCode } from '../../contract/later-code.ts';
import type { Status } from '../../contract/statuses.ts';
import { askingStates, listKeys, type QueuedPart, spread, statusKeys } from '../indexes/list-keys.ts';
import type { ListedKey } from './list-position.ts';

/** Selects jobs by state and creation time, and their order. */
export interface IndexRange {
  readonly status?: Status | undefined;
  /** RFC 3339 with milliseconds, in UTC; both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
  /** Only jobs with an open question. */
  readonly needs?: 'answer' | undefined;
}

/** The partitions of a range. */
function keysOf({ needs, status, queued }: ListRange): string[] {
  if (needs === 'answer') return spread(askingStates(status));
  return status === undefined ? listKeys() : statusKeys(status, queued);
}

/** A range that an index has: all jobs, or those in one state but SUCCEEDED. */
interface ListRange extends Omit<IndexRange, 'status'> {
  readonly status?: Exclude<Status, 'SUCCEEDED'> | LaterCode | undefined;
  /** Default: all. */
  readonly queued?: QueuedPart | undefined;
}

interface ListReading {
  /** Continues after this job, whether or not it still exists. */
  readonly after?: ListedKey | undefined;
  /** Entries that one query of a partition reads; default: a megabyte. */
  readonly perQuery?: number | undefined;
}

type ListedItem = ListedKey & Readonly<Record<string, unknown>>;
type Compare = (a: ListedKey, b: ListedKey) => number;

/** No job is created before the first or from the second on. */
const OLDEST = '0000';
const NEWEST = '9999';

/**
 * The entries of a list's index, read from all its partitions at once and merged, in parts. Jobs created in the same
 * millisecond are sorted by their ids, so the position after a job is the same in every reading. Each job occurs once.
 */
export async function* listedItems(
  table: DynamoDBDocumentClient,
  tableName: string,
  range: ListRange,
  reading: ListReading = {},
): AsyncGenerator<readonly ListedItem[]> {
  const compare: Compare = range.order === 'oldest' ? oldestFirst : (a, b) => oldestFirst(b, a);
  const keys = keysOf(range);
  const partitions = keys.map((key) => new Partition({ table, tableName, key, range, reading, compare }));
  let last: ListedItem | undefined;
  for (;;) {
    await Promise.all(partitions.map(async (partition) => await partition.fill()));
    const merged: ListedItem[] = [];
    for (;;) {
      // A partition that has to be read further may have the next job.
      if (partitions.some((one) => one.first === undefined && !one.isAtEnd)) break;
      const [best, ...others] = partitions.filter(({ first }) => first !== undefined);
      if (best === undefined) {
        if (merged.length > 0) yield merged;
        return;
      }
      const next = others.reduce((a, b) => (compare(a.head, b.head) <= 0 ? a : b), best).take();
      // A job that moves to another partition while both are read is in both.
      if (last !== undefined && compare(last, next) === 0) continue;
      merged.push(next);
      last = next;
    }
    if (merged.length > 0) yield merged;
  }
}

/** Sorts jobs by their creation. */
export function oldestFirst(a: ListedKey, b: ListedKey): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

interface PartitionOptions {
  readonly table: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly key: string;
  readonly range: ListRange;
  readonly reading: ListReading;
  readonly compare: Compare;
}

/** One partition of a list's index, read page by page. */
class Partition {
  readonly #options: PartitionOptions;
  /** In order, the next last. */
  #items: ListedItem[] = [];
  /** The last ones read: more of the same millisecond may follow. */
  #open: ListedItem[] = [];
  #from: Record<string, unknown> | undefined;
  #isRead = false;

  constructor(options: PartitionOptions) {
    this.#options = options;
  }

  get first(): ListedItem | undefined {
    return this.#items.at(-1);
  }

  get head(): ListedItem {
    const { first } = this;
    if (first === undefined) throw new Error('the partition has no entry left');
    return first;
  }

  get isAtEnd(): boolean {
    return this.#isRead && this.#items.length === 0;
  }

  take(): ListedItem {
    const { head } = this;
    this.#items.pop();
    return head;
  }

  /** Reads on until it has an entry, or all have been read. */
  async fill(): Promise<void> {
    const { reading, compare } = this.#options;
    while (this.first === undefined && !this.#isRead) {
      const read = [...this.#open, ...(await this.#query())];
      const last = read.at(-1)?.created_at;
      const isOpen = (item: ListedItem) => !this.#isRead && item.created_at === last;
      this.#open = read.filter(isOpen);
      const { after } = reading;
      this.#items = read
        .filter((item) => !isOpen(item) && (after === undefined || compare(item, after) > 0))
        .sort((a, b) => compare(b, a));
    }
  }

  async #query(): Promise<ListedItem[]> {
    const { table, tableName, key, range, reading } = this.#options;
    const { after, perQuery } = reading;
    const isByTime = range.status === undefined && range.needs === undefined;
    const isForward = range.order === 'oldest';
    const from = isForward ? later(range.from, after?.created_at) : range.from;
    const to = isForward ? range.to : earlier(range.to, after?.created_at);
    const isBounded = from !== undefined || to !== undefined;
    const [lower, upper] = [from ?? OLDEST, to ?? NEWEST];
    // DynamoDB rejects a range that ends before it begins.
    if (lower > upper) {
      this.#isRead = true;
      return [];
    }
    const { Items = [], LastEvaluatedKey } = await table.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: isByTime ? 'by-time' : 'by-status',
        KeyConditionExpression: isBounded ? '#key = :key AND #created_at BETWEEN :from AND :to' : '#key = :key',
        ExpressionAttributeNames: {
          '#key': isByTime ? 'list_key' : 'status_key',
          ...(isBounded && { '#created_at': 'created_at' }),
        },
        ExpressionAttributeValues: {
          ':key': key,
          ...(isBounded && { ':from': lower, ':to': upper }),
        },
        ScanIndexForward: isForward,
        ...(perQuery !== undefined && { Limit: perQuery }),
        ...(this.#from && { ExclusiveStartKey: this.#from }),
      }),
    );
    this.#from = LastEvaluatedKey;
    this.#isRead = LastEvaluatedKey === undefined;
    return Items as ListedItem[];
  }
}

function later(time: string | undefined, other: string | undefined): string | undefined {
  return time !== undefined && (other === undefined || time > other) ? time : other;
}

function earlier(time: string | undefined, other: string | undefined): string | undefined {
  return time !== undefined && (other === undefined || time < other) ? time : other;
}
