import { actOn } from '../actions/use-job-action.ts';
import type { BulkAction } from './bulk-effect.ts';

/** How many jobs are acted on at once: soon done, and far below what the API takes a second. */
const AT_ONCE = 5;

/** Asks for an action on each job; `onOutcome` is told of each: undefined if it was taken, else why not. */
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
