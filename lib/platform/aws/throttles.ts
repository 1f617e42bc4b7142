import * as z from 'zod';

/** Storage says "too fast" under these names. */
const THROTTLES = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'SlowDown',
  'RequestThrottled',
  'OverLimit',
]);

/** What the SDK says of an answer that it took for an error. */
const storageFault = z.object({ $metadata: z.object({ httpStatusCode: z.number().optional() }) });

/** Whether what was thrown says that there were too many requests. */
export function isThrottle(error: unknown): boolean {
  if (error instanceof Error && THROTTLES.has(error.name)) return true;
  const metadata = storageFault.safeParse(error).data?.$metadata;
  return metadata?.httpStatusCode === 429 || metadata?.httpStatusCode === 503;
}

/** Where in a client's stack `throttleMetrics` stands: around what makes an error of an answer, within what tries again. */
export const THROTTLE_METRICS = { step: 'deserialize', name: 'throttleMetrics', priority: 'high' } as const;

/** Middleware of the SDK: calls `onThrottle` for each try of a request that was refused as one too many. */
export function throttleMetrics(onThrottle: () => void) {
  return <Input, Output>(next: (args: Input) => Promise<Output>) =>
    async (args: Input): Promise<Output> => {
      try {
        return await next(args);
      } catch (error) {
        if (isThrottle(error)) onThrottle();
        throw error;
      }
    };
}
