/** Lambda's throttling: the account's concurrency is exhausted. */
export class LambdaThrottledError extends Error {
  override readonly name = 'LambdaThrottledError';

  constructor(concurrency: number) {
    super(`${concurrency} functions run, which is the simulated account's concurrency`);
  }
}

/**
 * Lambda's account concurrency for the functions behind one gateway, without triggers.
 * @param concurrency undefined: no limit
 * @returns a function that runs another, counted until its promise settles. @throws LambdaThrottledError
 */
export function lambdaConcurrency(concurrency: number | undefined): <T>(invoke: () => Promise<T>) => Promise<T> {
  let running = 0;
  return async (invoke) => {
    if (concurrency !== undefined && running >= concurrency) throw new LambdaThrottledError(concurrency);
    running += 1;
    try {
      return await invoke();
    } finally {
      running -= 1;
    }
  };
}
