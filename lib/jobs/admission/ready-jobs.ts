import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import { gathered } from '../../platform/gather-calls.ts';
import { isReady } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import { knownJobs } from '../store/read-job.ts';

/** Jobs that one query reads: a few of the best at first, more per page while those are not due yet. */
const PAGE = { first: 3, further: 25, pages: 10 } as const;

/**
 * Reads the best claimable jobs of a partition of the ready index, in its order. Eventually consistent, so the result
 * may be stale.
 * @param besides how many of the best the caller can't use
 */
export type ReadReady = (partition: string, besides?: number) => Promise<readonly Job[]>;

/** `ReadReady` over the ready index. */
export function readyIndex(table: DynamoDBDocumentClient, tableName: string, clock: Clock): ReadReady {
  return async (partition, besides = 0) => {
    let from: Record<string, unknown> | undefined;
    for (let page = 0; page < PAGE.pages; page += 1) {
      const { Items = [], LastEvaluatedKey } = await table.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'ready',
          KeyConditionExpression: '#ready_key = :ready_key',
          ExpressionAttributeNames: { '#ready_key': 'ready_key' },
          ExpressionAttributeValues: { ':ready_key': partition },
          Limit: page === 0 ? PAGE.first + besides : PAGE.further,
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      const now = timestamp(clock.now());
      const due = knownJobs(Items).filter((job) => isReady(job) && (job.due_at === undefined || job.due_at <= now));
      if (due.length > 0 || LastEvaluatedKey === undefined) return due;
      from = LastEvaluatedKey;
    }
    return [];
  };
}

/**
 * Reads for the claims of one process. Those that begin together share the reading of a partition, which brings one job
 * more for each of them; otherwise all would compete for the best three.
 */
export function sharedReads(read: ReadReady): ReadReady {
  const readers = new Map<string, (besides: number) => Promise<readonly Job[]>>();
  return async (partition, besides = 0) => {
    const reader =
      readers.get(partition) ??
      gathered((asked: readonly number[]) => {
        readers.delete(partition);
        return read(partition, Math.max(...asked) + asked.length - 1);
      });
    readers.set(partition, reader);
    return await reader(besides);
  };
}
