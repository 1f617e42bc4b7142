import type { Profile } from '../../catalog/profiles.ts';
import { InvalidFieldError } from '../../contract/errors.ts';
import { quoted } from '../../contract/input/legible.ts';
import type { NewJob } from '../../contract/schemas/jobs/one-name.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { actOnJob, invalidState } from '../dispatch/act-on-job.ts';
import type { Job } from '../lifecycle/job.ts';
import { isJobId } from '../lifecycle/job-id.ts';
import { NewerSchemaError } from '../lifecycle/newer-schema.ts';
import { isHidden } from '../lifecycle/system-job.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { JobTextStore } from '../store/job-texts.ts';
import { isFolderUnused } from '../threads/folder-users.ts';
import { endedBefore, type ThreadContext } from '../threads/read-thread.ts';
import { requireRoom } from '../threads/take-turn.ts';

/** The job that a new one continues. */
interface Continuation {
  readonly job: Job;
  /** The job whose private folder the new one works in. */
  readonly folderOf: string | undefined;
}

/** What finding the job that a new one continues or forks needs. */
export interface EarlierContext extends ThreadContext {
  readonly texts: JobTextStore;
  /** Days after which a private folder that no job uses is deleted; 0: never. */
  readonly workspaceDays: number;
  readonly readReceipt: (jobId: string, attempt: number) => Promise<Receipt | undefined>;
}

/**
 * Finds the job that a new one continues, and gives the new one that job's project, profile, model, folder and tags,
 * unless it sets them.
 * @throws InvalidFieldError; ApiError `invalid_state`, naming `submit` for a draft
 */
export async function continuationOf(
  context: EarlierContext,
  creation: NewJob,
): Promise<{ readonly creation: NewJob; readonly continuation: Continuation | undefined }> {
  const { continue: id, ...given } = creation;
  if (id === undefined) {
    for (const name of ['continue_after', 'fresh_folder'] as const)
      if (creation[name] !== undefined) throw InvalidFieldError.of(name, 'is only for a job with continue');
    return { creation, continuation: undefined };
  }
  const job = await findEarlier(context, id, 'continue');
  const turns = await context.threads.turns(job.thread_id ?? job.id);
  requireRoom(turns.length, job);
  const project = given.project;
  const isHere = project === undefined || project === job.project_id || project === job.project;
  const keepsFolder = isHere && given.cwd === undefined && given.fresh_folder !== true;
  if (keepsFolder) await requireFolder(context, job, 'continue');
  return {
    creation: {
      ...(await withSettingsOf(context, job, given)),
      continue: id,
      ...(keepsFolder && { cwd: job.cwd }),
    },
    continuation: { job, folderOf: keepsFolder ? folderOwner(job) : undefined },
  };
}

/** @throws ApiError `invalid_state` if the folder of a job was deleted because of its age, or is about to be */
export async function requireFolder(context: EarlierContext, job: Job, action: 'continue' | 'fork'): Promise<void> {
  const owner = folderOwner(job);
  if (owner === undefined || context.workspaceDays === 0) return;
  const first = owner === job.id ? job : await context.jobs.find(owner);
  if (first === 'newer') return;
  const before = timestamp(context.clock.now() - context.workspaceDays * DAY_MS);
  if (first !== undefined && !(await isFolderUnused(context, first, before))) return;
  // Without its first job, only the age of the folder on the workers' disk counts.
  if (first === undefined && !endedBefore(job, before)) return;
  const why = `the folder of the thread was deleted, because no job has used it for ${context.workspaceDays} days`;
  if (action === 'fork')
    throw invalidState(action, job, `${why}; continue the job with "fresh_folder": true`, 'continue');
  throw invalidState(action, job, `${why}; continue with "fresh_folder": true`, 'fresh_folder');
}

const DAY_MS = 86_400_000;

/** The fields of a new job, with the project, profile, model and tags of another job unless they are given. */
export async function withSettingsOf(
  { texts }: { readonly texts: JobTextStore },
  job: Job,
  given: NewJob,
): Promise<NewJob> {
  const { tags } = await texts.labels.of(job);
  const isSameProfile = given.profile === undefined || given.profile === job.profile;
  return {
    ...given,
    ...(given.project === undefined && { project: job.project_id }),
    profile: given.profile ?? job.profile,
    model: given.model ?? (isSameProfile ? job.model : undefined),
    tags: given.tags ?? tags,
  };
}

/** @throws InvalidFieldError if the profile runs another agent than the continued or forked job */
export function requireSameAgent(job: Pick<Job, 'agent'> | undefined, profile: Profile): void {
  if (job?.agent === undefined || job.agent === profile.agent) return;
  throw InvalidFieldError.of(
    'profile',
    `received ${quoted(profile.name)}, whose agent is ${profile.agent}; the thread has the agent ${job.agent}`,
  );
}

/** The project of the job that a request continues or forks; undefined: there is none, which is refused later. */
export async function projectBefore(
  { jobs }: Pick<EarlierContext, 'jobs'>,
  { continue: continued, fork: id = continued }: NewJob,
): Promise<string | undefined> {
  const job = id !== undefined && isJobId(id) ? await jobs.find(id) : undefined;
  return job === 'newer' ? undefined : job?.project_id;
}

/** Makes a job the first of its thread, if it is not in one. @returns the thread's id */
export async function beginThread(context: ThreadContext, job: Job, action: 'continue' | 'fork'): Promise<string> {
  if (job.thread_id !== undefined) return job.thread_id;
  const first = await actOnJob(context, job, { type: 'begin_thread' }, action);
  return first.thread_id ?? first.id;
}

/** The job that a new one continues or forks. @throws InvalidFieldError; ApiError `invalid_state` for a draft */
export async function findEarlier(
  { jobs }: Pick<EarlierContext, 'jobs'>,
  id: string,
  action: 'continue' | 'fork',
): Promise<Job> {
  const job = isJobId(id) ? await jobs.find(id) : undefined;
  if (job === 'newer') throw new NewerSchemaError(`job ${id}`);
  if (job === undefined || job.removing === true || isHidden(job))
    throw InvalidFieldError.of(action, `received ${quoted(id)}; there is no job of this id`);
  if (job.status === 'DRAFT') throw invalidState(action, job, 'the job is a draft; submit it first', 'submit');
  return job;
}

/** A job without a `cwd` works in a private folder: its own, or that of its thread. */
function folderOwner({ id, cwd, folder_of }: Job): string | undefined {
  return cwd === undefined ? (folder_of ?? id) : folder_of;
}
