import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { STATUSES } from '../../contract/statuses.ts';
import type { StatusCounts } from '../../counters/counts.ts';

/** Counts the jobs in each state one by one: slow, but independent of the stored counts. */
export async function recount(table: DynamoDBDocumentClient, jobsTable: string): Promise<StatusCounts> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as StatusCounts;
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new ScanCommand({
        TableName: jobsTable,
        ProjectionExpression: '#status',
        ExpressionAttributeNames: { '#status': 'status' },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const { status } of page.Items ?? []) counts[status as keyof StatusCounts] += 1;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return counts;
}
