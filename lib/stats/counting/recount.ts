import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { STATUSES, type Status } from '../../contract/schemas/job.ts';
import { statusKey } from '../../jobs/lifecycle/job.ts';
import type { StatusCounts } from './counts.ts';

/** Counts the jobs in each state one by one: slow, but independent of the stored counts. */
export async function recount(table: DynamoDBDocumentClient, jobsTable: string): Promise<StatusCounts> {
  const counts = await Promise.all(
    STATUSES.map(async (status) => [status, await countOf(table, jobsTable, status)] as const),
  );
  return Object.fromEntries(counts) as StatusCounts;
}

async function countOf(table: DynamoDBDocumentClient, jobsTable: string, status: Status): Promise<number> {
  let count = 0;
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new QueryCommand({
        TableName: jobsTable,
        IndexName: 'by-status',
        KeyConditionExpression: '#key = :key',
        ExpressionAttributeNames: { '#key': 'status_key' },
        ExpressionAttributeValues: { ':key': statusKey(status) },
        Select: 'COUNT',
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    count += page.Count ?? 0;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return count;
}
