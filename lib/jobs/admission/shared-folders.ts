import { LIMITS } from '../../contract/limits.ts';
import { effectOf } from '../lifecycle/effects.ts';
import type { Job } from '../lifecycle/job.ts';
import { type Folders, ownerOfFolder } from '../lifecycle/working-folder.ts';
import { readThread, type ThreadContext, type TurnWithJob } from '../threads/read-thread.ts';
import type { SlotUser } from './slots.ts';

/** Dependencies for finding the jobs that work in a folder. */
export interface SharedFolderContext extends ThreadContext {
  readonly folders: Folders;
}

/**
 * Whether a job works in a private folder in which jobs outside its thread work too: it, or a turn of its thread, is a
 * child that got its parent's folder, or has such children. The turns of a thread alone need no slot of the folder.
 */
export function sharesFolder(folders: Folders, job: Job, turns: readonly TurnWithJob[]): boolean {
  const owner = ownerOfFolder(folders, job);
  if (owner === undefined) return false;
  const others = turns.flatMap((turn) => (typeof turn.job === 'object' ? [turn.job] : []));
  return [job, ...others].some(
    (one) =>
      one.shares_folder === true ||
      effectOf(one, 'follow_ups') !== undefined ||
      one.follow_ups !== undefined ||
      (one.continues === undefined && (ownerOfFolder(folders, one) ?? one.id) !== one.id),
  );
}

/** The job whose agent started a job by a tool, and which may run at the same time. */
export function startedBy({ cause }: Pick<Job, 'cause'>): string | undefined {
  return cause.kind === 'tool' ? cause.job : undefined;
}

/** Whether an agent that runs in the same folder has started a job, directly or indirectly, and may wait for it. */
export async function isAwaited(
  context: Pick<SharedFolderContext, 'jobs'>,
  job: Job,
  worksThere: (above: Job) => boolean,
): Promise<boolean> {
  for await (const above of jobsAbove(context, job)) if (above.status === 'RUNNING' && worksThere(above)) return true;
  return false;
}

/** The jobs that use a folder among those whose agents started a job. */
export async function usersAbove(
  context: Pick<SharedFolderContext, 'jobs'>,
  job: Job,
  isUser: (job: Job) => Promise<boolean>,
): Promise<SlotUser[]> {
  const users: SlotUser[] = [];
  for await (const above of jobsAbove(context, job)) {
    const { id, status, tool_children, thread_id } = above;
    if (await isUser(above)) users.push({ id, isRunning: status === 'RUNNING', tool_children, thread_id });
  }
  return users;
}

/** Whether a job may use a folder beside these: they run, and their agents started it, directly or indirectly. */
export async function mayWorkBeside(
  context: Pick<SharedFolderContext, 'jobs'>,
  job: Job,
  users: readonly SlotUser[],
): Promise<boolean> {
  if (startedBy(job) === undefined || users.some(({ isRunning }) => !isRunning)) return false;
  const left = new Set(users.map(({ id }) => id));
  left.delete(startedBy(job) ?? '');
  if (left.size > 0) for await (const above of jobsAbove(context, job)) left.delete(above.id);
  return left.size === 0;
}

/**
 * The job that has a private folder before any job has taken its slot: the parent of the first job to need it, whose
 * claim took none, or the turn of the parent's thread that runs. Only the first turn of a thread knows its parent.
 */
export async function firstInFolder(context: SharedFolderContext, job: Job): Promise<string | undefined> {
  const { thread_id: threadId = job.id } = job;
  const isFirst = threadId === job.id;
  const first = isFirst ? job : await context.jobs.find(threadId);
  if (first === undefined || first === 'newer') return undefined;
  const parentId = first.ancestors?.at(-1)?.id;
  if (parentId === undefined || ownerOfFolder(context.folders, job) !== first.folder_of) return undefined;
  const parent = await context.jobs.find(parentId);
  if (parent === undefined) return undefined;
  if (parent === 'newer' || parent.thread_id === undefined) return parentId;
  const turns = await readThread(context, parent.thread_id);
  return turns.find((turn) => typeof turn.job === 'object' && turn.job.status === 'RUNNING')?.jobId ?? parent.id;
}

/** The jobs that agents of these jobs started by a tool, those that theirs started, and so on. */
export async function* jobsBelow(
  { jobs }: Pick<SharedFolderContext, 'jobs'>,
  users: readonly SlotUser[],
): AsyncGenerator<Job> {
  let ids = users.flatMap(({ tool_children }) => tool_children ?? []);
  for (let depth = 0; ids.length > 0 && depth < LIMITS.followUps.depth; depth += 1) {
    const found = [...(await jobs.findAll(ids)).values()].filter((job) => job !== 'newer');
    yield* found;
    ids = found.flatMap(({ tool_children }) => tool_children ?? []);
  }
}

/** The turns of the threads of these jobs. */
export async function* turnsBeside(context: ThreadContext, users: readonly SlotUser[]): AsyncGenerator<Job> {
  for (const threadId of new Set(users.map(({ thread_id }) => thread_id)))
    if (threadId !== undefined)
      for (const { job } of await readThread(context, threadId)) if (typeof job === 'object') yield job;
}

/** The job whose agent started a job, the one whose agent started that, and so on. */
async function* jobsAbove({ jobs }: Pick<SharedFolderContext, 'jobs'>, job: Job): AsyncGenerator<Job> {
  let id = startedBy(job);
  for (let depth = 0; id !== undefined && depth < LIMITS.followUps.depth; depth += 1) {
    const above = await jobs.find(id);
    if (above === undefined || above === 'newer') return;
    yield above;
    id = startedBy(above);
  }
}
