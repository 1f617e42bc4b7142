import { ApiError } from '../contract/errors.ts';
import { invalidState } from '../jobs/dispatch/act-on-job.ts';
import { followUpIds } from '../jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { isJobId } from '../jobs/lifecycle/job-id.ts';
import { isHidden } from '../jobs/lifecycle/system-job.ts';
import { ownFolder } from '../jobs/lifecycle/working-folder.ts';
import { pendingFork, turnsOf } from '../jobs/threads/read-thread.ts';
import { END_OF_TIME, type HeldContext, removeEndedJob } from './remove-jobs.ts';

/**
 * Removes an ended job with everything that it holds, or completes a removal that was interrupted. Only admins may: an
 * agent with `write` could remove the record of its own acts.
 * @throws ApiError `job_not_found`; `invalid_state` if the job has not ended, or other jobs hold its texts or files too;
 * NewerSchemaError
 */
export async function removeOnRequest(context: HeldContext, id: string): Promise<void> {
  const job = isJobId(id) ? await context.jobs.get(id, { consistent: true }) : undefined;
  if (job === undefined || isHidden(job)) throw ApiError.of('job_not_found');
  const holder = job.removing === true ? undefined : await holderOf(context, job);
  if (holder !== undefined) throw invalidState('remove', job, holder);
  const kept = await removeEndedJob(context, job, END_OF_TIME);
  if (kept !== undefined) throw invalidState('remove', job, kept);
}

/** Why the job can't be removed yet. The session of a later turn has the prompts and answers of the turns before it. */
async function holderOf(context: HeldContext, job: Job): Promise<string | undefined> {
  const turns = await turnsOf(context, job);
  const later = turns.findLast(({ turn, job: other }) => turn > (job.turn ?? 0) && other !== undefined);
  if (later !== undefined) return `remove ${later.jobId} first, a later turn of its thread`;
  const fork = await pendingFork(context, turns);
  if (fork !== undefined) return `${fork} has not made its copy of the thread yet`;
  const children = await context.jobs.findAll(followUpIds(job));
  for (const [id, child] of children)
    if (child === 'newer' || ownFolder(child) === ownFolder(job)) return `remove ${id} first, which shares its folder`;
  return undefined;
}
