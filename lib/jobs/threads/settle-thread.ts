import { MAX_ROUNDS, transition } from '../dispatch/transition.ts';
import { effectOf } from '../lifecycle/effects.ts';
import { waitsInThread } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';
import { awaitsTurn, lacksCopy } from '../lifecycle/thread.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import { whenCommandsAct } from './commands-turn.ts';
import { hasEnded, readThread, type ThreadContext, type TurnWithJob, waitInThread } from './read-thread.ts';
import { openCommands } from './running-bindings.ts';
import { takeTurn } from './take-turn.ts';

/**
 * Starts the next turn of a thread if nothing keeps it, or records what it waits for, as for turns that waited for one
 * that has ended. A worker that claims the next turn, or a process that gives a job its turn, may have read the thread
 * before it changed, and be about to record what the job waited for then: the job gets a new version, so that they
 * can't, and read the thread once more.
 */
export async function settleThread(context: ThreadContext, threadId: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const turns = await readThread(context, threadId);
    let isSettled = true;
    for (const { job, turn } of turnsToSettle(turns)) {
      const wait = await waitInThread(context, turns, { ...job, turn });
      if (!(await settle(context, job, wait))) isSettled = false;
    }
    if (isSettled && (await wakeIdle(context, threadId, turns))) return;
  }
  throw new Error(`thread ${threadId}: its turns changed in every round`);
}

/** `wakeCommands` of all turns, once the thread is idle and copied, or a later turn has begun. */
async function wakeIdle(context: ThreadContext, threadId: string, known: readonly TurnWithJob[]): Promise<boolean> {
  const mayWake = known.some(({ job }) => typeof job === 'object' && effectOf(job, 'commands') !== undefined);
  // The next turn may just have been recorded as waiting for a person.
  const turns = mayWake ? await readThread(context, threadId) : [];
  let isSettled = true;
  for (const { job } of turns) {
    if (typeof job !== 'object' || effectOf(job, 'commands') === undefined) continue;
    if ((await whenCommandsAct(context, job, turns)) === 'later') continue;
    isSettled = (await wakeCommands(context, job)) && isSettled;
  }
  return isSettled;
}

/**
 * Queues the commands of a job's bindings that wait for its thread, or for others of them.
 * @returns false if one changed meanwhile
 */
export async function wakeCommands(context: ThreadContext, job: Job): Promise<boolean> {
  let isSettled = true;
  for (const { job: commands } of await openCommands(context, job)) {
    if (typeof commands !== 'object' || commands.status !== 'QUEUED') continue;
    if (waitsInThread(commands.parked))
      await transition(context, commands, { type: 'unpark', reason: commands.parked });
    // A worker that has read the thread before can't let them wait now, and may have had their last message.
    else if (commands.parked === undefined) {
      isSettled = (await context.jobs.apply(commands, commands)).applied && isSettled;
      await context.dispatchQueues.send(commands);
    }
  }
  return isSettled;
}

/** The next turn, those that wait for one that has ended, and those about to be recorded to wait for one. */
function turnsToSettle(turns: readonly TurnWithJob[]): { readonly job: Job; readonly turn: number }[] {
  const ended = new Set(turns.filter(({ job }) => hasEnded(job)).map(({ jobId }) => jobId));
  const open = turns.filter(({ jobId }) => !ended.has(jobId));
  return open.flatMap(({ job, turn }, at) => {
    if (job === undefined || job === 'newer' || job.status !== 'QUEUED' || !isUnderstood(job)) return [];
    return at === 0 || awaitsTurn(job) || ended.has(job.waits_for ?? '') ? [{ job, turn }] : [];
  });
}

/**
 * Records that turns which the end of a job had stopped wait for it again, after it was retried. If it ends at the same
 * time, that gives the turns a new version, or finds this recorded.
 */
export async function waitAgain(context: ThreadContext, { id, thread_id: threadId }: Job): Promise<void> {
  if (threadId === undefined) return;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const turns = await readThread(context, threadId);
    const stopped = turns.flatMap(({ job, turn }) =>
      typeof job === 'object' && job.parked === 'thread_stopped' && job.waits_for === id ? [{ job, turn }] : [],
    );
    let isDone = true;
    for (const { job, turn } of stopped) {
      const wait = await waitInThread(context, turns, { ...job, turn });
      if (wait?.stopped === false && isUnderstood(job)) isDone = (await settle(context, job, wait)) && isDone;
    }
    if (isDone) return;
  }
}

/** @returns false if the job changed meanwhile */
async function settle(
  context: ThreadContext,
  job: Job,
  wait: Awaited<ReturnType<typeof waitInThread>>,
): Promise<boolean> {
  // Parked for something else: its claim looks at the thread again.
  if (job.parked !== undefined && !waitsInThread(job.parked)) return true;
  if (job.parked === undefined || awaitsTurn(job)) return (await context.jobs.apply(job, job)).applied;
  const event =
    wait === undefined
      ? ({ type: 'unpark', reason: job.parked } as const)
      : ({ type: 'wait_for_thread', wait } as const);
  const result = await transition(context, job, event, { rounds: 1 });
  // A request that retries the awaited turn may have read it before it ended, and be about to record that.
  if (result.done && result.job === job) return (await context.jobs.apply(job, job)).applied;
  return result.done;
}

/**
 * Completes what concerns a job's thread: gives the job its turn, or checks the other turns after it ended. The process
 * that queued or ended the job does so at once; if it can't, reconcile-jobs does. A fork keeps the turns of the thread
 * that it forks from starting until its copy is made, or it has ended.
 * @returns the updated job
 */
export async function continueThread(context: ThreadContext, job: Job): Promise<Job> {
  if (awaitsTurn(job)) return await takeTurn(context, job);
  if (job.status === 'QUEUED' && lacksCopy(job)) await holdSource(context, job);
  const effect = effectOf(job, 'thread');
  if (effect === undefined) return job;
  if (job.thread_id !== undefined) await settleThread(context, job.thread_id);
  if (job.forked_from !== undefined) await releaseSource(context, job);
  const settled = await transition(context, job, { type: 'effect', effect, step: 'done' });
  return settled.done ? settled.job : job;
}

/** Keeps the turns of the thread that a job forks from starting. Safe to repeat. */
export async function holdSource(context: ThreadContext, fork: Job): Promise<void> {
  const threadId = await sourceThread(context, fork);
  if (threadId === undefined) return;
  await context.threads.putFork(threadId, fork.id);
  // A turn that is about to start has read the thread before: it gets a new version.
  await settleThread(context, threadId);
}

/** Lets the turns of the forked thread start, once the copy is made or the fork has ended. Safe to repeat. */
export async function releaseSource(context: ThreadContext, fork: Job): Promise<void> {
  const threadId = await sourceThread(context, fork);
  if (threadId === undefined) return;
  await settleThread(context, threadId);
  await context.threads.removeFork(threadId, fork.id);
}

async function sourceThread({ jobs }: ThreadContext, { forked_from }: Job): Promise<string | undefined> {
  const source = forked_from === undefined ? undefined : await jobs.find(forked_from);
  return source === undefined || source === 'newer' ? undefined : source.thread_id;
}
