import { ApiError } from './api-error.ts';

/**
 * Whether a failed request may have taken effect: its response was lost, or the service failed. After a `timed_out` the
 * function continues its work.
 */
export function mayHaveTakenEffect(error: Error): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}
