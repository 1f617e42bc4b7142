import { DeleteObjectsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isTerminal, STATUSES } from '../contract/statuses.ts';
import { systemJobsOf } from '../deployments/deploy-commands.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import { type TransitionContext, transition } from '../jobs/dispatch/transition.ts';
import { type Job, jobItemSchema } from '../jobs/lifecycle/job.ts';
import type { JobTextStore } from '../jobs/store/job-texts.ts';
import { listedItems } from '../jobs/store/listed-items.ts';
import type { ThreadStore } from '../jobs/threads/thread-store.ts';
import { rootOf, type TreeStore } from '../jobs/trees/tree-store.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { KeptJobs } from './kept-jobs.ts';

/** What holds a part of a job. */
export interface HeldContext extends Pick<TransitionContext, 'jobs' | 'clock' | 'random'> {
  readonly texts: JobTextStore;
  readonly deployments: JobDeploymentStore;
  readonly threads: ThreadStore;
  readonly trees: Pick<TreeStore, 'forget'>;
  readonly objects: S3Client;
  readonly bucket: string;
}

export interface RemovalContext extends HeldContext {
  readonly table: DynamoDBDocumentClient;
  readonly jobsTable: string;
}

/**
 * How many jobs one sweep removes, how many others it reads, and after how long it ends; the next sweep continues.
 * `kept`: how many older jobs in other states it remembers in order not to read them, and for how long it lists them.
 */
const SWEEP = {
  ...{ removed: 1_500, scanned: 20_000, milliseconds: 600_000 },
  kept: { jobs: 200_000, milliseconds: 300_000 },
} as const;

/** All states but SUCCEEDED. */
const OTHER_STATES = STATUSES.filter((status) => status !== 'SUCCEEDED');

const DAY_MS = 86_400_000;

/** Later than any job's end. */
export const END_OF_TIME = '9999';

/** An ended job gets no dispatch message when it is removed, or its output deleted. */
export const NO_QUEUES = { send: async () => await Promise.reject(new Error('no message is sent for a removal')) };

const endedJobSchema = jobItemSchema.pick({ id: true, finished_at: true });

/**
 * Removes the jobs that ended more than `days` ago, with their texts, outputs, attachments and deployments. A job is
 * marked first, so that it can't be retried, and deleted last, so that the next sweep completes an interrupted one. The
 * jobs of a thread, and those of a private folder, are kept until the last of them ended that long ago.
 * @returns how many were removed
 */
export async function removeEndedJobs(context: RemovalContext, days: number): Promise<number> {
  const start = context.clock.now();
  const before = timestamp(start - days * DAY_MS);
  const kept = new KeptJobs(context, before);
  let removed = 0;
  let scanned = 0;
  for await (const id of removableJobs(context, before)) {
    if (kept.has(id)) continue;
    const result = await skipDamaged(`job ${id}`, () => removeJob(context, id, { before, kept }));
    if (result === 'removed') removed += 1;
    if (result !== 'kept') scanned += 1;
    if (removed >= SWEEP.removed || scanned >= SWEEP.scanned) break;
    if (context.clock.now() - start > SWEEP.milliseconds) break;
  }
  return removed;
}

async function removeJob(
  context: RemovalContext,
  id: string,
  { before, kept }: { before: string; kept: KeptJobs },
): Promise<'removed' | 'kept' | undefined> {
  const job = await context.jobs.find(id);
  if (job === undefined || job === 'newer') return undefined;
  if (await kept.keeps(job)) return 'kept';
  return (await removeEndedJob(context, job, before)) === undefined ? 'removed' : undefined;
}

/**
 * Removes a job that ended before a time (RFC 3339) with everything that it holds. It is marked first, so that it can't be
 * retried, and its item goes last, so that another call completes an interrupted one.
 * @returns why it is kept; undefined: it is removed
 */
export async function removeEndedJob(context: HeldContext, job: Job, before: string): Promise<string | undefined> {
  const marked = await transition({ ...context, dispatchQueues: NO_QUEUES }, job, {
    type: 'remove',
    endedBefore: before,
  });
  if (!marked.done) return marked.rejected;
  await removeObjects(context, job.id);
  await context.texts.removeAll(job);
  for (const deployment of await context.deployments.list(job.id))
    for (const id of systemJobsOf(deployment)) {
      const kept = await removeSystemJob(context, id);
      if (kept !== undefined) return kept;
    }
  await context.deployments.removeAll(job.id);
  if (job.thread_id !== undefined && job.turn !== undefined) await context.threads.remove(job.thread_id, job.turn);
  const rootId = rootOf(job);
  await context.trees.forget(job, async () => rootId === job.id || (await context.jobs.find(rootId)) === undefined);
  await context.jobs.remove(job.id);
  return undefined;
}

/**
 * Oldest creation first. No job ends before it was created, so jobs created since `before` are not read. SUCCEEDED jobs
 * are those that the index by status does not list.
 */
async function* removableJobs({ table, jobsTable, clock }: RemovalContext, before: string): AsyncGenerator<string> {
  const range = { order: 'oldest', to: before } as const;
  const kept = new Set<string>();
  const end = clock.now() + SWEEP.kept.milliseconds;
  for (const status of OTHER_STATES) {
    for await (const items of listedItems(table, jobsTable, { ...range, status })) {
      for (const item of items) {
        const { data } = endedJobSchema.safeParse(item);
        const isRemovable = isTerminal(status) && (data?.finished_at ?? before) < before;
        if (!isRemovable) kept.add(item.id);
      }
      if (kept.size > SWEEP.kept.jobs || clock.now() > end) break;
    }
  }
  for await (const items of listedItems(table, jobsTable, range))
    for (const { id } of items) if (!kept.has(id)) yield id;
}

/** Removes a system job with the job that it is of. @returns why it is kept */
async function removeSystemJob(context: HeldContext, id: string): Promise<string | undefined> {
  const job = await context.jobs.find(id);
  return typeof job === 'object' ? await removeEndedJob(context, job, END_OF_TIME) : undefined;
}

async function removeObjects({ objects, bucket }: HeldContext, jobId: string): Promise<void> {
  for (;;) {
    // A page is as large as one delete request.
    const { Contents = [] } = await objects.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: `jobs/${jobId}/` }),
    );
    if (Contents.length === 0) return;
    const command = new DeleteObjectsCommand({
      Bucket: bucket,
      Delete: { Objects: Contents.map(({ Key }) => ({ Key })), Quiet: true },
    });
    const { Errors: [error] = [] } = await objects.send(command);
    if (error !== undefined) throw new Error(`${error.Key}: ${error.Code} ${error.Message}`);
  }
}
