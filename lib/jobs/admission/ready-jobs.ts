import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import { gathered } from '../../platform/gather-calls.ts';
import type { DispatchMessage } from '../dispatch/dispatch-queues.ts';
import { isReady } from '../dispatch/transition.ts';
import { readyKey, readyOrder, spreadReadyKeys } from '../indexes/ready-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import { knownJobs } from '../store/read-job.ts';

/** Jobs that one query reads: a few of the best at first, more per page while those are not due yet. */
const PAGE = { first: 3, further: 25, pages: 10 } as const;

/** The best claimable jobs of a partition, in its order. */
interface ReadyJobs {
  readonly jobs: readonly Job[];
  /** The last place that was read; absent: there are no more jobs. */
  readonly upTo?: string | undefined;
}

/**
 * Reads a partition of the ready index. Eventually consistent, so the result may be stale.
 * @param besides how many of the best the caller can't use
 */
export type ReadReady = (partition: string, besides?: number) => Promise<ReadyJobs>;

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
      if (due.length > 0 || LastEvaluatedKey === undefined) return { jobs: due, upTo: upTo(Items, LastEvaluatedKey) };
      from = LastEvaluatedKey;
    }
    return { jobs: [] };
  };
}

function upTo(items: readonly Record<string, unknown>[], next: unknown): string | undefined {
  return next === undefined ? undefined : String(items.at(-1)?.ready_order);
}

/**
 * Reads for the claims of one process. Those that begin together share the reading of a partition, which brings one job
 * more for each of them; otherwise all would compete for the best three.
 */
export function sharedReads(read: ReadReady): ReadReady {
  const readers = new Map<string, (besides: number) => Promise<ReadyJobs>>();
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

/** The best claimable jobs of a message's band and project, the best first. */
export async function readyJobs(
  readReady: ReadReady,
  { band, project }: DispatchMessage,
  { isSpread, besides }: { isSpread: boolean; besides: number },
): Promise<readonly Job[]> {
  const keys = [readyKey(band, project), ...(isSpread ? spreadReadyKeys(band, project) : [])];
  return merged(await Promise.all(keys.map((key) => readReady(key, besides))));
}

/** In order, without those that a job which was not read may precede. */
function merged(partitions: readonly ReadyJobs[]): readonly Job[] {
  const jobs = partitions
    .flatMap((partition) => partition.jobs)
    .toSorted((a, b) => compare(readyOrder(a), readyOrder(b)));
  const [end] = partitions.flatMap((partition) => partition.upTo ?? []).toSorted(compare);
  return end === undefined ? jobs : jobs.filter((job) => readyOrder(job) <= end);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
