import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { reportDamaged } from '../../platform/aws/skip-damaged.ts';
import { jobItemSchema } from '../lifecycle/job.ts';
import { listedItems } from '../store/listed-items.ts';

const indexedJobSchema = jobItemSchema.extend({ ready_key: z.string().optional() }).pick({
  id: true,
  project_id: true,
  profile: true,
  priority: true,
  reason: true,
  ready_key: true,
  due_at: true,
  queued_at: true,
  created_at: true,
});
export type IndexedJob = z.output<typeof indexedJobSchema>;

/**
 * The jobs in a state, oldest first, created at `from` or later, in pages of `page` (default: the table's page size);
 * eventually consistent. Without QUEUED ones that await an event, and without held ones unless `held` is set.
 */
export type JobsByStatus = (
  status: 'QUEUED' | 'RUNNING',
  options?: { page?: number; from?: string | undefined; held?: boolean },
) => AsyncIterable<IndexedJob>;

/** Reads them from the index by status. */
export function jobsByStatus(table: DynamoDBDocumentClient, tableName: string): JobsByStatus {
  return async function* byStatus(status, options) {
    const parts = listedItems(
      table,
      tableName,
      { status, order: 'oldest', from: options?.from, queued: options?.held === true ? 'ready_and_held' : 'ready' },
      { perQuery: options?.page },
    );
    for await (const items of parts)
      for (const item of items) {
        const { data, error } = indexedJobSchema.safeParse(item);
        if (data === undefined) reportDamaged(`job ${item.id}`, error);
        else yield data;
      }
  };
}

/** Time from which a waiting job may be claimed, ms since 1970. */
export function readySince(job: IndexedJob): number {
  return Date.parse(job.due_at ?? job.queued_at ?? job.created_at);
}
