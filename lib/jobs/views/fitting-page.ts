import { LIMITS } from '../../contract/limits.ts';

/**
 * A page of a list that fits into one response: if its items are too long together, a shorter page is read instead, whose
 * cursor leads to the rest. It has at least one item, unless there is none.
 */
export async function fittingPage<P extends { readonly items: readonly unknown[] }>(
  limit: number,
  read: (limit: number) => Promise<P>,
): Promise<P> {
  for (let most = limit; ; ) {
    const page = await read(most);
    const fitting = Math.max(1, countFitting(page.items));
    if (fitting >= page.items.length) return page;
    most = fitting;
  }
}

/** How many items from the first on fit. */
function countFitting(items: readonly unknown[]): number {
  let bytes = 0;
  const at = items.findIndex((item) => {
    bytes += escapedBytes(item);
    return bytes > LIMITS.listBytes;
  });
  return at === -1 ? items.length : at;
}

/** The length of an item in Lambda's response, which contains the body's JSON as a string. */
function escapedBytes(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(item)));
}
