import { ApiError } from '../../contract/errors.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { actInThread, type ThreadSlotContext } from '../admission/thread-slot.ts';
import type { Job } from '../lifecycle/job.ts';
import type { TreeStore } from './tree-store.ts';

interface TreeContext extends ThreadSlotContext {
  readonly trees: TreeStore;
}

/** Jobs that are cancelled at a time. */
const AT_ONCE = 10;

interface Ending {
  readonly action: 'cancel' | 'kill';
  /** Called if a job is cancelled and its thread could not be continued: reconcile-jobs does that. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Cancels or kills a job, and with `tree` all its descendants.
 * @returns the updated job, and how many jobs this call cancelled, or asked to end
 * @throws ApiError `invalid_state` if the job's state doesn't allow it; with `tree` all states do
 */
export async function endJob(
  context: TreeContext,
  job: Job,
  { tree, ...ending }: Ending & { readonly tree: boolean },
): Promise<{ job: Job; cancelled: number }> {
  if (tree) return await endTree(context, job, ending);
  const after = await actInThread(context, job, { type: ending.action }, ending);
  return { job: after, cancelled: isNewlyCancelled(job, after) ? 1 : 0 };
}

/**
 * Cancels or kills a job and all its descendants; those that have ended stay as they are. That the job gets no further
 * descendants is recorded first: a descendant is stored together with its place in the tree, so each one either is there
 * then, or is refused. Safe to repeat: an interrupted call is completed by the next one.
 */
async function endTree(context: TreeContext, job: Job, ending: Ending): Promise<{ job: Job; cancelled: number }> {
  const { members } = await context.trees.stop(job);
  const end = async (known: Job) => await ended(context, known, ending);
  const root = await end(job);
  // All that descend from it are members since that was recorded.
  const found = [...(await context.jobs.findAll(members.filter((id) => id !== job.id))).values()];
  const descendants = found.filter((one): one is Job => one !== 'newer' && isBelow(one, job.id));
  let cancelled = isNewlyCancelled(job, root) ? 1 : 0;
  for (let from = 0; from < descendants.length; from += AT_ONCE) {
    const part = descendants.slice(from, from + AT_ONCE);
    const after = await Promise.all(part.map(end));
    cancelled += part.filter((one, at) => isNewlyCancelled(one, after[at] ?? one)).length;
  }
  return { job: root, cancelled };
}

function isBelow({ ancestors = [] }: Job, id: string): boolean {
  return ancestors.some((ancestor) => ancestor.id === id);
}

/** The job once it was asked to end, or as it was if it has ended. Only what runs can be killed. */
async function ended(context: TreeContext, known: Job, { action, onFailure }: Ending): Promise<Job> {
  for (const type of action === 'kill' ? (['kill', 'cancel'] as const) : (['cancel'] as const))
    if (!isTerminal(known.status))
      try {
        return await actInThread(context, known, { type }, { action, onFailure });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'invalid_state') throw error;
      }
  return (await context.jobs.get(known.id, { consistent: true })) ?? known;
}

function isNewlyCancelled(before: Job, after: Job): boolean {
  if (isTerminal(before.status)) return false;
  return (
    after.status === 'CANCELLED' ||
    (before.cancel_requested_at === undefined && after.cancel_requested_at !== undefined)
  );
}
