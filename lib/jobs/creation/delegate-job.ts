import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type * as z from 'zod';
import { ApiError, InvalidFieldError } from '../../contract/errors.ts';
import { followUpCreation } from '../../contract/schemas/jobs/job-creation.ts';
import { transition } from '../dispatch/transition.ts';
import { jobIdOf } from '../lifecycle/cause.ts';
import type { Job } from '../lifecycle/job.ts';
import { inheritedFolderOf, workingFolder } from '../lifecycle/working-folder.ts';
import { type DelegationContext, isTokenActive, profileOfChild } from './child-rights.ts';
import { type CreatedJob, createJob } from './create-job.ts';

/** What an agent may say of a job that it starts. Its project is that of the agent's job. */
export const delegatedJob = followUpCreation.pick({
  prompt: true,
  extra_prompt: true,
  rule_ids: true,
  profile: true,
  model: true,
  priority: true,
  timeout: true,
  retries: true,
  title: true,
  tags: true,
  cwd: true,
});
type DelegatedJob = z.output<typeof delegatedJob>;

/**
 * Creates a job that the agent of a running attempt asks for. The job is recorded on its parent before it is created, so
 * that no parent gets more than it may.
 * @param parent the job as claimed
 * @param key two calls with one key in one round of the parent give one job; default: a hash of the request
 * @returns the id; `replayed` if it existed, with another request in the fields `differs`
 * @throws InvalidFieldError or ApiError that explains what is wrong with the request, or why the job may start none
 */
export async function delegateJob(
  context: DelegationContext,
  parent: Job,
  request: DelegatedJob,
  key?: string,
): Promise<CreatedJob> {
  if (!(await isTokenActive(context.registry, parent)))
    throw rejection('the token with which this job was created is suspended or revoked');
  const cwd = request.cwd === undefined ? undefined : below(context, parent, request.cwd);
  const { project_id } = parent;
  const profile = await profileOfChild(context, parent, { ...request, project_id, cwd });
  const cause = { kind: 'tool', job: parent.id, round: parent.round ?? 0, key: key ?? hashOf(request) } as const;
  const id = jobIdOf(cause);
  const folderOf = cwd === undefined ? undefined : inheritedFolderOf(context.folders, parent, cwd);
  const delegation = { attempt: parent.attempt, child: id, sharesFolder: folderOf !== undefined };
  const known = await transition(context, parent, { type: 'delegate', ...delegation });
  if (!known.done) throw rejection(known.rejected);
  const creation = { ...request, profile, project: project_id, ...(cwd !== undefined && { cwd }) };
  try {
    return await createJob(context, creation, `job:${parent.id}`, { cause, of: parent, folderOf });
  } catch (error) {
    // Only one that was never created is forgotten: the answer to its creation may be lost.
    if (error instanceof ApiError || error instanceof InvalidFieldError) {
      const isThere = (await context.jobs.get(id, { consistent: true })) !== undefined;
      if (!isThere) await transition(context, known.job, { type: 'delegate', ...delegation, undo: true });
    }
    throw error;
  }
}

/** A folder as the agent sees it: relative to the one in which it works. */
function below({ folders }: DelegationContext, parent: Job, cwd: string): string {
  const own = workingFolder(folders, parent);
  return 'path' in own && !cwd.startsWith('/') ? join(own.path, cwd) : cwd;
}

function hashOf(request: DelegatedJob): string {
  const entries = Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}

function rejection(why: string): ApiError {
  return ApiError.because('invalid_request', why);
}
