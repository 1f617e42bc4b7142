import type { Job } from '../lifecycle/job.ts';
import { begunAfter, hasEnded, pendingFork, type ThreadContext, type TurnWithJob, turnsOf } from './read-thread.ts';

/** When commands of bindings act on a success: now, once the thread is idle, or never, because the folder has changed. */
type CommandsTurn = 'now' | 'later' | 'never';

/** When the commands of a job's bindings act. A thread whose next turn waits for a person is idle. */
function commandsTurn(turns: readonly TurnWithJob[], { status, turn = 1 }: Pick<Job, 'status' | 'turn'>): CommandsTurn {
  if (status !== 'SUCCEEDED' || begunAfter(turns, turn) !== undefined) return 'never';
  const next = turns.find((other) => other.turn > turn && !hasEnded(other.job));
  if (next === undefined) return 'now';
  return typeof next.job === 'object' && next.job.parked === 'thread_stopped' ? 'now' : 'later';
}

/**
 * As of the last acknowledged writes: when the commands of a job's bindings act. Copies of its folder come first.
 * @param known the turns of its thread; default: they are read
 */
export async function whenCommandsAct(
  context: Pick<ThreadContext, 'threads' | 'jobs'>,
  job: Job,
  known?: readonly TurnWithJob[],
): Promise<CommandsTurn> {
  const turns = known ?? (await turnsOf(context, job));
  const when = commandsTurn(turns, job);
  return when === 'now' && (await pendingFork(context, turns)) !== undefined ? 'later' : when;
}
