import { isTerminal } from '../../contract/statuses.ts';
import { transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import { decide } from '../lifecycle/lifecycle.ts';
import { type System, type SystemJobName, systemName } from '../lifecycle/system-job.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import { whenCommandsAct } from '../threads/commands-turn.ts';
import { turnsOf } from '../threads/read-thread.ts';
import { openCommands } from '../threads/running-bindings.ts';
import { settleThread } from '../threads/settle-thread.ts';
import { acquireForCommands, exclusiveFolder } from './folder-slots.ts';
import { type GateContext, waitAt, wakeIfFree } from './gates.ts';
import { acquireSlot, threadSlot } from './slots.ts';
import { leaveThread, type ThreadSlotContext } from './thread-slot.ts';

type Context = GateContext & ThreadSlotContext;

/** Claims exactly this version of a system job. @returns undefined: it waits, has been cancelled, or has changed */
type ClaimSystemJob = (context: Context, job: Job, system: System, workerId: string) => Promise<Job | undefined>;

const CLAIMS: Readonly<Record<SystemJobName, ClaimSystemJob>> = { deploy: claimCommands };

/** Claims a system job, by the rule of its name. */
export async function claimSystemJob(context: Context, job: Job, workerId: string): Promise<Job | undefined> {
  const name = systemName(job);
  return name === undefined || job.cause.kind !== 'system'
    ? undefined
    : await CLAIMS[name](context, job, job.cause, workerId);
}

/**
 * Commands work in the folder of the job that they deploy, once its thread is idle. They take the slots of the thread and
 * of the folder as a claim of that job would, and their claim gives it a new version in the same transaction. So of
 * commands and a turn or a retry that begin at the same time only one does, and a later one sees them run. A fork may
 * begin unseen: the worker checks that once more before the first command.
 */
async function claimCommands(
  context: Context,
  job: Job,
  { job: sourceId, attempt }: System,
  workerId: string,
): Promise<Job | undefined> {
  const source = await context.jobs.find(sourceId);
  if (source === 'newer' || (source !== undefined && !isUnderstood(source))) return undefined;
  const turns = source === undefined ? [] : await turnsOf(context, source);
  const isNewest = source?.attempt === attempt;
  const when = source === undefined || !isNewest ? 'never' : await whenCommandsAct(context, source, turns);
  if (source === undefined || when === 'never') {
    await transition(context, job, { type: 'cancel' }, { rounds: 1 });
    return undefined;
  }
  const { thread_id: threadId } = source;
  if (when === 'later' || !(await isFirst(context, source, job))) {
    // A turn may have begun to wait for commands that ran before these, or for these, before they were handed back.
    if (threadId !== undefined) await settleThread(context, threadId);
    const gate = { kind: 'thread', key: threadId ?? source.id } as const;
    await transition(context, job, { type: 'wait', gate }, { rounds: 1 });
    return undefined;
  }
  if (threadId !== undefined && !(await acquireSlot(context, source, threadSlot(threadId)))) {
    await context.dispatchQueues.send(job, { delaySeconds: SLOT_RETRY_SECONDS });
    return undefined;
  }
  const folder = await exclusiveFolder(context, source, turns);
  if (folder !== undefined && !(await acquireForCommands(context, source, folder))) {
    await leaveThread(context, source);
    await waitAt(context, job, { kind: 'folder', key: folder });
    return undefined;
  }
  const decision = decide(job, { type: 'claim', workerId }, { ...context, now: context.clock.now() });
  const claimed = 'job' in decision ? await context.jobs.applyWith(job, decision.job, { other: source }) : undefined;
  if (claimed?.applied === true) return claimed.job;
  await leaveThread(context, source);
  if (threadId !== undefined) await settleThread(context, threadId);
  if (folder !== undefined) await wakeIfFree(context, { kind: 'folder', key: folder });
  await context.dispatchQueues.send(job);
  return undefined;
}

/** Seconds until a claim that took the slot of a thread and failed has let go of it. */
const SLOT_RETRY_SECONDS = 10;

/** Whether none of the commands of a job's other bindings run or come before: they run one after the other. */
async function isFirst(context: Context, source: Job, { id, cause }: Job): Promise<boolean> {
  const open = (await openCommands(context, source)).filter(
    ({ job }) => typeof job !== 'object' || !isTerminal(job.status),
  );
  if (open.some(({ job }) => job === 'newer' || job?.status === 'RUNNING')) return false;
  return (
    open.find(({ deployment }) => cause.kind === 'system' && deployment.attempt === cause.attempt)?.deployment
      .runs_as === id
  );
}
