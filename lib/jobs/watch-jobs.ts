import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { timestamp } from '../aws/table-clock.ts';
import { bandOf, type Job, jobItemSchema, readyKey, statusKey } from './job.ts';
import { leaseIsOver } from './lease.ts';
import { type SettleContext, settleAttempt } from './settle-attempt.ts';
import { transition } from './transition.ts';

/** When a band and project's best job has been ready for so long (ms) without being claimed, a new permit is sent. */
const UNCLAIMED_AFTER = 60_000;

export interface WatchContext extends SettleContext {
  /** The jobs in a state, oldest first, read `page` at once (default: as many as the table gives); eventually consistent. */
  readonly byStatus: (status: 'QUEUED' | 'RUNNING', options?: { page: number }) => AsyncIterable<ListedJob>;
}

const listedJobSchema = jobItemSchema.pick({
  id: true,
  project_id: true,
  priority: true,
  reason: true,
  due_at: true,
  queued_at: true,
  created_at: true,
});
export type ListedJob = z.output<typeof listedJobSchema>;

/** `byStatus` over the index by status. */
export function statusIndex(table: DynamoDBDocumentClient, tableName: string): WatchContext['byStatus'] {
  return async function* byStatus(status, options) {
    let from: Record<string, unknown> | undefined;
    do {
      const page = await table.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'by-status',
          KeyConditionExpression: '#status_key = :status_key',
          ExpressionAttributeNames: { '#status_key': 'status_key' },
          ExpressionAttributeValues: { ':status_key': statusKey(status) },
          ...(options && { Limit: options.page }),
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      for (const item of page.Items ?? []) yield listedJobSchema.parse(item);
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  };
}

/** Ends or queues again every running job whose lease is over; from its receipt, if its worker left one. */
export async function watchRunning(context: WatchContext): Promise<Job[]> {
  const changed: Job[] = [];
  for await (const { id } of context.byStatus('RUNNING')) {
    const job = await context.jobs.get(id, { consistent: true });
    if (job === undefined || !leaseIsOver(job, timestamp(context.clock.now()))) continue;
    const receipt = await context.readReceipt(job.id, job.attempt);
    // A loss is not judged anew: what has changed meanwhile may be an attempt whose receipt nobody has looked for.
    const result =
      receipt === undefined
        ? await transition(context, job, { type: 'lose' }, { rounds: 1 })
        : await transition(context, job, { type: 'end', receipt });
    if (result.done) changed.push(await settleAttempt(context, job, result.job));
  }
  return changed;
}

/** Sends a permit for each band and project with a job that has long been ready without being claimed, whatever the queues hold. */
export async function watchReady(context: WatchContext): Promise<void> {
  const now = context.clock.now();
  const served = new Set<string>();
  for await (const job of context.byStatus('QUEUED')) {
    const key = readyKey(bandOf(job), job.project_id);
    if (isParked(job) || served.has(key) || readySince(job) > now - UNCLAIMED_AFTER) continue;
    await context.permits.send(job);
    served.add(key);
  }
}

/**
 * Sends every permit anew: for the day the queues were lost. A waiting job gets one for when it is due, a running one
 * for when its lease is over, so that a worker looks whether it is still held.
 */
export async function redrive(context: WatchContext): Promise<void> {
  const now = context.clock.now();
  for await (const job of context.byStatus('QUEUED')) {
    if (!isParked(job)) await context.permits.send(job, { delaySeconds: Math.max(0, (readySince(job) - now) / 1000) });
  }
  for await (const listed of context.byStatus('RUNNING')) {
    const job = await context.jobs.get(listed.id, { consistent: true });
    if (job?.lease_until === undefined) continue;
    await context.permits.send(job, { delaySeconds: Math.max(0, (Date.parse(job.lease_until) - now) / 1000) });
  }
}

/** Since when a waiting job may be claimed, ms since 1970. */
export function readySince(job: ListedJob): number {
  return Date.parse(job.due_at ?? job.queued_at ?? job.created_at);
}

/** Whether a waiting job is not to be claimed before somebody unparks it. */
export function isParked(job: Pick<ListedJob, 'reason'>): boolean {
  return job.reason === 'account_required' || job.reason === 'usage_limit';
}
