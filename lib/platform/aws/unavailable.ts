import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { isThrottle } from './throttles.ts';

/**
 * Whether a request failed because a service can't serve it now: it is busy, broken, full, or out of reach. The same
 * request may succeed later, so the fault is not in what was asked for.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const thrown = error as Parameters<typeof isTransientError>[0];
  return isThrottle(thrown) || isThrottlingError(thrown) || isTransientError(thrown) || isServerError(thrown);
}
