import * as z from 'zod';

/** Error names by which storage reports throttling. */
const THROTTLES = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'SlowDown',
  'RequestThrottled',
  'OverLimit',
]);

/** The SDK's metadata of an error response. */
const storageFault = z.object({ $metadata: z.object({ httpStatusCode: z.number().optional() }) });

/** Whether an error reports throttling. */
export function isThrottle(error: unknown): boolean {
  if (error instanceof Error && THROTTLES.has(error.name)) return true;
  const metadata = storageFault.safeParse(error).data?.$metadata;
  return metadata?.httpStatusCode === 429 || metadata?.httpStatusCode === 503;
}

/** The position of `throttleMetrics` in a client's middleware stack: outside deserialization, inside the retries. */
export const THROTTLE_METRICS = { step: 'deserialize', name: 'throttleMetrics', priority: 'high' } as const;

/** SDK middleware: calls `onThrottle` for each attempt that was throttled. */
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
