import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import type { Job } from '../lifecycle/job.ts';
import { knownJobs } from './read-job.ts';

/** The jobs of one partition of the ready index, in its order; eventually consistent. */
export type ReadPartition = (key: string, range?: PartitionRange) => AsyncIterable<Job>;

/** A part of a partition; each bound is optional. */
interface PartitionRange {
  /** The first and the last place in its order that is read. */
  readonly from?: string;
  readonly to?: string;
  readonly most?: number;
}

/** Sort before and after every place. A key can't be compared with an empty text. */
const [FIRST, LAST] = ['0', '~'];

export function readyPartition(table: DynamoDBDocumentClient, tableName: string): ReadPartition {
  return async function* partition(key, range) {
    const items = queriedItems(table, {
      TableName: tableName,
      IndexName: 'ready',
      KeyConditionExpression: `#ready_key = :ready_key${range === undefined ? '' : ' AND #ready_order BETWEEN :from AND :to'}`,
      ExpressionAttributeNames: {
        '#ready_key': 'ready_key',
        ...(range !== undefined && { '#ready_order': 'ready_order' }),
      },
      ExpressionAttributeValues: {
        ':ready_key': key,
        ...(range !== undefined && { ':from': range.from ?? FIRST, ':to': range.to ?? LAST }),
      },
      ...(range?.most !== undefined && { Limit: range.most }),
    });
    let read = 0;
    for await (const item of items) {
      yield* knownJobs([item]);
      read += 1;
      if (read >= (range?.most ?? Number.POSITIVE_INFINITY)) return;
    }
  };
}
