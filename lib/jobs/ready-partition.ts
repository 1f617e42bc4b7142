import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Job, jobItemSchema } from './job.ts';

/** The jobs of one partition of the ready index, in its order; eventually consistent. */
export type ReadPartition = (key: string) => AsyncIterable<Job>;

export function readyPartition(table: DynamoDBDocumentClient, tableName: string): ReadPartition {
  return async function* partition(key) {
    let from: Record<string, unknown> | undefined;
    do {
      const page = await table.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'ready',
          KeyConditionExpression: '#ready_key = :ready_key',
          ExpressionAttributeNames: { '#ready_key': 'ready_key' },
          ExpressionAttributeValues: { ':ready_key': key },
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      for (const item of page.Items ?? []) yield jobItemSchema.parse(item);
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  };
}
