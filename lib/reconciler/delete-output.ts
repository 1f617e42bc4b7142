import {
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectIdentifier,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ApiError } from '../contract/errors.ts';
import { systemJobsOf } from '../deployments/deploy-commands.ts';
import { isFinal } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import { invalidState } from '../jobs/dispatch/act-on-job.ts';
import { type TransitionContext, transition } from '../jobs/dispatch/transition.ts';
import type { Effect } from '../jobs/lifecycle/effect.ts';
import { followUpIds } from '../jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { isJobId } from '../jobs/lifecycle/job-id.ts';
import { isHidden } from '../jobs/lifecycle/system-job.ts';
import { requireUnderstood } from '../jobs/lifecycle/understood.ts';
import { attemptInKey, attemptsPrefix, isReceiptKey } from '../jobs/output/output-keys.ts';
import { DamagedReceiptError, type OutputStore } from '../jobs/output/output-store.ts';
import { withoutOutput } from '../jobs/receipts/without-output.ts';
import type { JobTextStore } from '../jobs/store/job-texts.ts';
import { turnsOf } from '../jobs/threads/read-thread.ts';
import type { ThreadStore } from '../jobs/threads/thread-store.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { NO_QUEUES } from './remove-jobs.ts';

/*
 * What a job's attempts wrote is deleted in this order. The job is marked, and the deletion is listed on it as an effect:
 * nothing is read from then on, and the reconciler completes what this process can't. The receipts keep what the record of
 * the job needs and lose the rest. All other objects of the attempts go, with the earlier versions that a bucket may keep
 * of them, then the questions of the agent and the output of deploy commands. Each step looks for what is left, so that it
 * can be repeated, and run by two processes.
 *
 * Another request may be correcting a receipt that it has read before, and a worker that was lost may still be uploading
 * when its job has ended. So the deletion is repeated later, before the effect is done.
 */

/** What holds the output of a job. */
export interface HeldOutputContext extends Pick<TransitionContext, 'jobs' | 'clock' | 'random'> {
  readonly output: OutputStore;
  readonly objects: S3Client;
  readonly bucket: string;
  readonly texts: Pick<JobTextStore, 'questions'>;
  readonly deployments: JobDeploymentStore;
}

/** Milliseconds after which no function that has read a receipt is alive. */
const REQUEST_MS = 900_000;
/** Milliseconds after which a worker that was lost has stopped to upload. */
const UPLOAD_MS = 3_600_000;

/**
 * Deletes the output of an ended job, or completes a deletion that was interrupted.
 * @returns the job, and the jobs whose sessions or prompts may repeat some of its output
 * @throws ApiError `job_not_found`; `invalid_state` unless the job has ended and all that follows is done; NewerSchemaError
 */
export async function deleteOnRequest(
  context: HeldOutputContext & { readonly threads: Pick<ThreadStore, 'turns'> },
  id: string,
  by: string,
): Promise<{ readonly job: Job; readonly copies: readonly string[] }> {
  const job = isJobId(id) ? await context.jobs.get(id, { consistent: true }) : undefined;
  if (job === undefined || isHidden(job) || job.removing === true) throw ApiError.of('job_not_found');
  requireUnderstood(job);
  const marked = await transition(within(context), job, { type: 'delete_output', by });
  if (!marked.done) throw invalidState('delete-output', marked.job ?? job, marked.rejected);
  const { effects = [], output_deleted: deleted } = marked.job;
  const { at = job.updated_at, attempt = 0 } = deleted ?? {};
  const effect = effects.find((one) => one.name === 'delete_output' && one.attempt === attempt) ?? {
    name: 'delete_output',
    attempt,
    since: at,
  };
  const done = await deleteOutput(context, marked.job, effect);
  return { job: done.job, copies: await copiesOf(context, done.job) };
}

/** The effect `delete_output`. @returns the job, and when to delete again what others may have stored late */
export async function deleteOutput(
  context: HeldOutputContext,
  job: Job,
  effect: Effect,
): Promise<{ readonly job: Job; readonly checkAt?: string }> {
  const upTo = effect.attempt ?? 0;
  await deleteObjects(context, job.id, upTo);
  await context.texts.questions.removeUpTo(job.id, upTo);
  await deleteCommandOutput(context, job.id, upTo);
  const late = job.lost_attempts === undefined ? REQUEST_MS : UPLOAD_MS;
  const checkAt = timestamp(Date.parse(effect.since) + late);
  if (checkAt > timestamp(context.clock.now())) {
    const waiting = await transition(within(context), job, { type: 'effect', effect, step: { checkAt } });
    return { job: waiting.job ?? job, checkAt };
  }
  const done = await transition(within(context), job, { type: 'effect', effect, step: 'done' });
  return { job: done.job ?? job };
}

function within(context: HeldOutputContext) {
  return { ...context, dispatchQueues: NO_QUEUES };
}

/** Deletes all objects of a job's attempts up to one, but for what is left of the receipts. */
async function deleteObjects(context: HeldOutputContext, jobId: string, upTo: number): Promise<void> {
  const { objects, bucket } = context;
  const place = { Bucket: bucket, Prefix: attemptsPrefix(jobId) };
  const isConcerned = (key: string) => attemptInKey(key) <= upTo;
  for await (const { Contents = [] } of paginateListObjectsV2({ client: objects }, place)) {
    const keys = Contents.flatMap(({ Key = '' }) => (isConcerned(Key) ? [Key] : []));
    const gone: ObjectIdentifier[] = [];
    for (const Key of keys)
      if (!isReceiptKey(Key) || !(await keepReceipt(context, jobId, attemptInKey(Key)))) gone.push({ Key });
    await deleteAll(context, gone);
  }
  await deleteVersions(context, place.Prefix, isConcerned);
}

/** Deletes what a bucket with versions keeps of objects that were deleted or replaced. */
async function deleteVersions(
  context: HeldOutputContext,
  Prefix: string,
  isConcerned: (key: string) => boolean,
): Promise<void> {
  const { objects, bucket: Bucket } = context;
  let from: { readonly KeyMarker?: string; readonly VersionIdMarker?: string | undefined } | undefined = {};
  while (from !== undefined) {
    const page: ListObjectVersionsCommandOutput = await objects.send(
      new ListObjectVersionsCommand({ Bucket, Prefix, ...from }),
    );
    const listed = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
    const earlier = listed.filter(
      ({ Key = '', IsLatest }) => isConcerned(Key) && !(IsLatest === true && isReceiptKey(Key)),
    );
    await deleteAll(
      context,
      earlier.map(({ Key, VersionId }) => ({ Key, VersionId })),
    );
    const { IsTruncated, NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    from = IsTruncated === true && KeyMarker !== undefined ? { KeyMarker, VersionIdMarker } : undefined;
  }
}

/** @returns false: it can't be read as a receipt, so that nothing of it is kept */
async function keepReceipt({ output }: HeldOutputContext, jobId: string, attempt: number): Promise<boolean> {
  try {
    const receipt = await output.readReceipt(jobId, attempt);
    if (receipt !== undefined) await output.putReceipt(withoutOutput(receipt));
    return true;
  } catch (error) {
    if (error instanceof DamagedReceiptError) return false;
    throw error;
  }
}

async function deleteAll({ objects, bucket }: HeldOutputContext, identifiers: ObjectIdentifier[]): Promise<void> {
  if (identifiers.length === 0) return;
  const { Errors: [error] = [] } = await objects.send(
    new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: identifiers, Quiet: true } }),
  );
  if (error !== undefined) throw new Error(`${error.Key}: ${error.Code} ${error.Message}`);
}

/** Commands of deploy bindings run in the job's folder, and write what they find there. */
async function deleteCommandOutput(context: HeldOutputContext, jobId: string, upTo: number): Promise<void> {
  for (const deployment of await context.deployments.list(jobId)) {
    if (deployment.attempt > upTo || !isFinal(deployment)) continue;
    for (const id of systemJobsOf(deployment)) await deleteObjects(context, id, Number.POSITIVE_INFINITY);
    const { log, log_truncated: _truncated, ...rest } = deployment;
    if (log !== undefined) await context.deployments.replace(deployment, rest);
  }
}

/** Later turns continue its session, forks copy it, and follow-up jobs were asked for in its output. */
async function copiesOf(
  context: HeldOutputContext & { readonly threads: Pick<ThreadStore, 'turns'> },
  job: Job,
): Promise<string[]> {
  const turns = await turnsOf(context, job);
  const later = turns.flatMap(({ turn, jobId, job: other }) =>
    turn > (job.turn ?? 0) && other !== undefined ? [jobId] : [],
  );
  return [...new Set([...later, ...followUpIds(job)])];
}
