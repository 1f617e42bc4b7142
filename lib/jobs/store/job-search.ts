import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import { matchLabels } from './job-labels.ts';
import { matchTexts } from './job-texts.ts';
import type { IndexRange } from './listed-items.ts';
import { monthAfter, monthBefore, monthOf, monthPartitions } from './month-partitions.ts';
import type { MatchedRow } from './search-words.ts';

type Item = Record<string, unknown>;

interface SearchOptions {
  readonly table: DynamoDBDocumentClient;
  readonly registryTable: string;
  /** The items of these jobs, in no order; missing ones are left out. */
  readonly itemsOf: (ids: readonly string[]) => Promise<Item[]>;
}

const OLDEST = '0000';
const NEWEST = '9999';

/** Finds jobs by the rows with their texts and labels, which are stored by month of creation. */
export class JobSearch {
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** @param options.oldest the month of the oldest job @returns items in order, and the month to continue with */
  async search(
    words: readonly string[],
    range: IndexRange,
    { now, month, mostRows, oldest }: { now: number; month: string | undefined; mostRows: number; oldest: string },
  ): Promise<{ items: Item[]; next: string | undefined }> {
    const [first, last] = [later(oldest, monthIn(range.from)), earlier(monthOf(now), monthIn(range.to))];
    const isForward = range.order === 'oldest';
    const items: Item[] = [];
    let at = month ?? (isForward ? first : last);
    for (
      let rows = 0;
      at >= first && at <= last && rows < mostRows;
      at = isForward ? monthAfter(at) : monthBefore(at)
    ) {
      const found = await this.#searchMonth(at, words);
      rows += found.rows;
      items.push(...found.items);
    }
    const createdAt = (item: Item) => String(item.created_at);
    const inRange = items.filter(
      (item) => createdAt(item) >= (range.from ?? OLDEST) && createdAt(item) <= (range.to ?? NEWEST),
    );
    const sorted = inRange.sort(
      (a, b) => createdAt(b).localeCompare(createdAt(a)) || String(b.id).localeCompare(String(a.id)),
    );
    return { items: isForward ? sorted.reverse() : sorted, next: at >= first && at <= last ? at : undefined };
  }

  async #searchMonth(month: string, words: readonly string[]): Promise<{ rows: number; items: Item[] }> {
    const kinds = [
      ...monthPartitions('texts', month).map((partition) => ({ partition, match: matchTexts })),
      ...monthPartitions('labels', month).map((partition) => ({ partition, match: matchLabels })),
    ];
    const searched = await Promise.all(kinds.map(({ partition, match }) => this.#matchesIn(partition, words, match)));
    const rows = searched.reduce((total, { read }) => total + read, 0);
    const matched = searched.flatMap(({ matched: rowsOfOne }) => rowsOfOne);
    return { rows, items: await this.#current(matched, words.length) };
  }

  async #matchesIn(partition: string, words: readonly string[], match: typeof matchLabels) {
    const matched: MatchedRow[] = [];
    let read = 0;
    const items = queriedItems(this.#options.table, {
      TableName: this.#options.registryTable,
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
  async #current(rows: readonly MatchedRow[], wanted: number): Promise<Item[]> {
    const wordsOf = new Map<string, Set<string>>();
    const foundAt = new Map<string, readonly string[]>();
    for (const { id, address, found } of rows) {
      wordsOf.set(id, new Set([...(wordsOf.get(id) ?? []), ...found]));
      foundAt.set(`${id}#${address}`, found);
    }
    const items = await this.#options.itemsOf(
      [...wordsOf].filter(([, words]) => words.size === wanted).map(([id]) => id),
    );
    return items.filter(({ id, texts, labels }) => {
      const current = [texts, labels].flatMap((address) => foundAt.get(`${id}#${address}`) ?? []);
      return new Set(current).size === wanted;
    });
  }
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
