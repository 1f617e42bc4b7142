import { ApiError } from '../contract/errors.ts';

/**
 * Milliseconds before a function's time limit at which it answers itself; after the limit API Gateway sends a bare 502.
 */
const ANSWER_MS = 500;

/** Seconds after which it is worth asking again. */
const RETRY = 5;

/**
 * Awaits work until the function has to answer. Longer work continues unobserved.
 * @param remainingMs until the function is ended
 * @throws ApiError `timed_out`, or any error of the work
 */
export async function beforeDeadline<T>(work: Promise<T>, remainingMs: number): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(ApiError.of('timed_out', undefined, RETRY)),
    Math.max(0, remainingMs - ANSWER_MS),
  );
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
