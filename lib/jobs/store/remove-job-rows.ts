import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../../platform/aws/queried-items.ts';

/** Deletes from the Registry all rows of one kind that a job ever had: those whose id begins with `JOB_ID#`. */
export async function removeJobRows(
  table: DynamoDBDocumentClient,
  tableName: string,
  { kind, jobId }: { readonly kind: string; readonly jobId: string },
): Promise<void> {
  const rows = queriedItems(table, {
    TableName: tableName,
    KeyConditionExpression: 'kind = :kind AND begins_with(id, :prefix)',
    ExpressionAttributeValues: { ':kind': kind, ':prefix': `${jobId}#` },
    ProjectionExpression: 'id',
  });
  for await (const { id } of rows) await table.send(new DeleteCommand({ TableName: tableName, Key: { kind, id } }));
}
