import { actOn } from '../actions/use-job-action.ts';
import type { BulkAction } from './bulk-effect.ts';

/** Concurrent requests: fast, and far below the API's rate limit. */
const MAX_CONCURRENT_REQUESTS = 5;

/** Requests an action on each job. Calls `onOutcome` with undefined, or with the reason of a rejection. */
export async function runBulk(
  action: BulkAction,
  ids: readonly string[],
  onOutcome: (id: string, rejected: string | undefined) => void,
): Promise<void> {
  const left = [...ids];
  const take = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const rejected = await actOn(action, id).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      onOutcome(id, rejected);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, take));
}
