import { ApiError } from '../contract/errors.ts';

/** Milliseconds before a function's end at which it answers itself; afterwards API Gateway would answer a bare 502. */
const ANSWER_MS = 500;

/**
 * Waits for work as long as a function has time to answer. Work that takes longer goes on unobserved.
 * @param remainingMs until the function is ended
 * @throws ApiError `timed_out`, or what the work throws
 */
export async function beforeDeadline<T>(work: Promise<T>, remainingMs: number): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(ApiError.of('timed_out')), Math.max(0, remainingMs - ANSWER_MS));
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
