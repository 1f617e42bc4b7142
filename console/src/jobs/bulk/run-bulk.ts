import { actOn } from '../actions/use-job-action.ts';
import type { BulkAction } from './bulk-effect.ts';
import { eachConcurrently } from './each-concurrently.ts';

/** Requests an action on each job. Calls `onOutcome` with undefined, or with the reason of a rejection. */
export async function runBulk(
  action: BulkAction,
  ids: readonly string[],
  onOutcome: (id: string, rejected: string | undefined) => void,
): Promise<void> {
  await eachConcurrently(ids, async (id) => {
    const rejected = await actOn(action, id).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    onOutcome(id, rejected);
  });
}
