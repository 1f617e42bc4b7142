/** Concurrent requests: fast, and far below the API's rate limit. */
const MAX_CONCURRENT_REQUESTS = 5;

/** Calls for each item, a few at a time. The first error ends it. */
export async function eachConcurrently<T>(items: readonly T[], call: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const take = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await call(item);
  };
  try {
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, take));
  } finally {
    left.length = 0;
  }
}
