/** Lambda refused to run a function: as many run as the account may run at once. */
export class LambdaThrottledError extends Error {
  override readonly name = 'LambdaThrottledError';

  constructor(concurrency: number) {
    super(`${concurrency} functions run, which is the simulated account's concurrency`);
  }
}

/**
 * Lambda's concurrency in an account, for the functions behind one gateway: triggers are not counted.
 * @param concurrency undefined: no limit
 * @returns runs a function, which counts until its promise settles. @throws LambdaThrottledError
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
