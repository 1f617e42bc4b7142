import { actOn } from '../actions/use-job-action.ts';
import type { BulkAction } from './bulk-effect.ts';

/** Concurrent requests: fast, and far below the API's rate limit. */
const AT_ONCE = 5;

/** Requests an action on each job. Calls `onOutcome` with undefined, or with the reason of a rejection. */
export async function runBulk(
  action: BulkAction,
  ids: readonly string[],
  onOutcome: (id: string, refused: string | undefined) => void,
): Promise<void> {
  const left = [...ids];
  const take = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const refused = await actOn(action, id).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      onOutcome(id, refused);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}
