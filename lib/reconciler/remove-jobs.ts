import { DeleteObjectsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TERMINAL_STATUSES } from '../contract/schemas/job.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import { type TransitionContext, transition } from '../jobs/dispatch/transition.ts';
import { type Job, jobItemSchema, statusKey } from '../jobs/lifecycle/job.ts';
import type { JobTextStore } from '../jobs/store/job-texts.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { timestamp } from '../platform/aws/table-clock.ts';

export interface RemovalContext extends TransitionContext {
  readonly table: DynamoDBDocumentClient;
  readonly jobsTable: string;
  readonly texts: JobTextStore;
  readonly deployments: JobDeploymentStore;
  readonly objects: S3Client;
  readonly bucket: string;
}

/** How many jobs one sweep removes, and how many it reads, in each state; the next sweep continues. */
const SWEEP = { removed: 500, scanned: 20_000 } as const;

const DAY_MS = 86_400_000;

const endedJobSchema = jobItemSchema.pick({ id: true, finished_at: true });

/**
 * Removes the jobs that ended more than `days` ago, with their texts, outputs, attachments and deployments. A job is
 * marked first, so that it can't be retried, and deleted last, so that the next sweep completes an interrupted one.
 * @returns how many were removed
 */
export async function removeEndedJobs(context: RemovalContext, days: number): Promise<number> {
  const before = timestamp(context.clock.now() - days * DAY_MS);
  let removed = 0;
  for (const status of TERMINAL_STATUSES) {
    let count = 0;
    for await (const { id } of removableJobs(context, status, before)) {
      if ((await skipDamaged(`job ${id}`, () => removeJob(context, id, before))) !== true) continue;
      count += 1;
      if (count >= SWEEP.removed) break;
    }
    removed += count;
  }
  return removed;
}

/** @returns whether it was removed */
async function removeJob(context: RemovalContext, id: string, endedBefore: string): Promise<boolean> {
  const job = await context.jobs.find(id);
  if (job === undefined || job === 'newer') return false;
  const marked = await transition(context, job, { type: 'remove', endedBefore });
  if (!marked.done) return false;
  await removeObjects(context, id);
  await context.texts.removeAll(job);
  await context.deployments.removeAll(id);
  await context.jobs.remove(id);
  return true;
}

/** Oldest creation first. No job ends before it was created, so jobs created since `before` are not read. */
async function* removableJobs(
  { table, jobsTable }: RemovalContext,
  status: Job['status'],
  before: string,
): AsyncGenerator<{ readonly id: string }> {
  let from: Record<string, unknown> | undefined;
  let scanned = 0;
  do {
    const page = await table.send(
      new QueryCommand({
        TableName: jobsTable,
        IndexName: 'by-status',
        KeyConditionExpression: '#status_key = :status_key AND #created_at < :before',
        ExpressionAttributeNames: { '#status_key': 'status_key', '#created_at': 'created_at' },
        ExpressionAttributeValues: { ':status_key': statusKey(status), ':before': before },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const item of page.Items ?? []) {
      const { data } = endedJobSchema.safeParse(item);
      // A job that only a later version can read does not prevent the removal of others.
      if (data === undefined) continue;
      if ((data.finished_at ?? before) < before) yield { id: data.id };
    }
    scanned += page.Items?.length ?? 0;
    from = page.LastEvaluatedKey;
  } while (from !== undefined && scanned < SWEEP.scanned);
}

async function removeObjects({ objects, bucket }: RemovalContext, jobId: string): Promise<void> {
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
