import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { isThrottle } from './throttles.ts';

/**
 * Whether a request failed because a service is unavailable: busy, broken, full, or unreachable. The request itself is
 * not at fault, and may succeed later.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const thrown = error as Parameters<typeof isTransientError>[0];
  return isThrottle(thrown) || isThrottlingError(thrown) || isTransientError(thrown) || isServerError(thrown);
}
