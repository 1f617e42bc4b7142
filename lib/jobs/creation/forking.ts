import { InvalidFieldError } from '../../contract/errors.ts';
import { quoted } from '../../contract/input/legible.ts';
import type { NewJob } from '../../contract/schemas/jobs/one-name.ts';
import { invalidState } from '../dispatch/act-on-job.ts';
import type { Job } from '../lifecycle/job.ts';
import { lacksCopy } from '../lifecycle/thread.ts';
import { begunAfter, type ThreadContext, turnsOf } from '../threads/read-thread.ts';
import { runsBindings } from '../threads/running-bindings.ts';
import { type EarlierContext, findEarlier, requireFolder, withSettingsOf } from './continuation.ts';

/**
 * Finds the job that a new one forks, and gives the new one that job's project, profile, model and tags, unless it sets
 * them.
 * @throws InvalidFieldError; ApiError `invalid_state` if there is nothing to copy, or no longer, or it may change meanwhile
 */
export async function forkOf(
  context: EarlierContext,
  { fork: id, ...given }: NewJob,
): Promise<{ readonly creation: NewJob; readonly source: Job | undefined }> {
  if (id === undefined) return { creation: given, source: undefined };
  for (const name of ['continue', 'cwd'] as const)
    if (given[name] !== undefined) throw InvalidFieldError.of(name, "can't be combined with fork");
  const source = await findEarlier(context, id, 'fork');
  const project = given.project;
  if (project !== undefined && project !== source.project_id && project !== source.project)
    throw InvalidFieldError.of('project', `received ${quoted(project)}; a fork stays in ${quoted(source.project)}`);
  await requireStill(context, source);
  await requireFolder(context, source, 'fork');
  return { creation: { ...(await withSettingsOf(context, source, given)), fork: id }, source };
}

/** @throws ApiError `invalid_state` */
async function requireStill(context: ThreadContext, source: Job): Promise<void> {
  const refuse = (why: string, use?: string) => invalidState('fork', source, why, use);
  if (source.cwd !== undefined)
    throw refuse('the job works in a folder that jobs share (cwd); continue it', 'continue');
  if (source.status === 'RUNNING') throw refuse('an attempt of the job runs; fork it when that has ended');
  if (source.attempt === 0 || lacksCopy(source)) throw refuse('the job has not begun; there is nothing to copy');
  const { turn = 1 } = source;
  const later = begunAfter(await turnsOf(context, source), turn);
  if (later !== undefined)
    throw refuse(`turn ${later.turn} of its thread (${later.jobId}) has begun; fork the newest turn`);
  if (await runsBindings(context, source))
    throw refuse("a binding's command works in the folder of the job; fork it when that has ended");
}
