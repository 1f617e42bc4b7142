import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import type { Job } from '../lifecycle/job.ts';
import { knownJobs } from './read-job.ts';

/** The jobs of one partition of the ready index, in its order; eventually consistent. */
export type ReadPartition = (key: string) => AsyncIterable<Job>;

export function readyPartition(table: DynamoDBDocumentClient, tableName: string): ReadPartition {
  return async function* partition(key) {
    const items = queriedItems(table, {
      TableName: tableName,
      IndexName: 'ready',
      KeyConditionExpression: '#ready_key = :ready_key',
      ExpressionAttributeNames: { '#ready_key': 'ready_key' },
      ExpressionAttributeValues: { ':ready_key': key },
    });
    for await (const item of items) yield* knownJobs([item]);
  };
}
