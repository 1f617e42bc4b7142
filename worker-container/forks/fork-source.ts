import { type GateContext, wakeNext } from '../../lib/jobs/admission/gates.ts';
import { transition } from '../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { lacksCopy } from '../../lib/jobs/lifecycle/thread.ts';
import { begunAfter, readThread, type ThreadContext } from '../../lib/jobs/threads/read-thread.ts';
import { runsBindings } from '../../lib/jobs/threads/running-bindings.ts';
import { holdSource, releaseSource } from '../../lib/jobs/threads/settle-thread.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';

/**
 * The job that a fork has to copy. No turn of its thread starts until the copy is made.
 * @returns undefined: the job is no fork, or has its copy
 * @throws Error with a plain message if the job can't be copied as it was when the fork was created
 */
export async function sourceToCopy(context: ThreadContext, fork: Job): Promise<Job | undefined> {
  if (fork.forked_from === undefined) return undefined;
  if (!lacksCopy(fork)) {
    // An attempt may have died right after its copy.
    await releaseSource(context, fork);
    return undefined;
  }
  await holdSource(context, fork);
  const source = await context.jobs.find(fork.forked_from);
  const name = `job ${fork.forked_from}, which this one forks,`;
  if (source === undefined || source === 'newer' || source.removing === true)
    throw new Error(`${name} was removed because of its age`);
  const { thread_id: threadId = source.id, turn = 1 } = source;
  const later = begunAfter(await readThread(context, threadId), turn);
  if (later !== undefined) throw new Error(`${name} has a later turn that has begun (${later.jobId}): fork that one`);
  if (source.status === 'RUNNING' || source.attempt !== fork.forked_attempt)
    throw new Error(`${name} has run again since: fork it again`);
  if (await runsBindings(context, source))
    throw new Error(`${name} has a binding whose command works in its folder: retry this one when that has ended`);
  return source;
}

/** Records that the copy is made, and lets the turns of the forked thread and others in its folder start. */
export async function copied(context: GateContext, fork: Job): Promise<void> {
  const recorded = await transition(context, fork, { type: 'fork_copied', attempt: fork.attempt });
  // Another attempt has taken over, and makes its own copy.
  if (!recorded.done) throw new CancelledBeforeStartError();
  if (fork.folder !== undefined) await wakeNext(context, { kind: 'folder', key: fork.folder });
  await releaseSource(context, recorded.job);
}
