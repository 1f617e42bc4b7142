import type { Answer } from '../../client/data-of.ts';
import { dataOf } from '../../client/data-of.ts';

interface Page<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** All pages of a list as one. */
export async function wholeList<T>(
  read: (query: { limit: number; cursor?: string }) => Promise<Answer<Page<T>>>,
): Promise<Page<T>> {
  const items: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<T> = await dataOf(read({ limit: 100, ...(cursor !== undefined && { cursor }) }));
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return { items, next_cursor: null };
}
