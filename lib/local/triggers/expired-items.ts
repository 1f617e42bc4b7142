import { DeleteCommand, type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { TABLES } from '../../platform/aws/tables.ts';

const TTL = TABLES.registry.ttlAttribute;

/** DynamoDB removes expired items "typically within two days"; readers must ignore them until then. */
const REMOVAL_LAG_SECONDS = 2 * 86_400;

/** Deletes expired items, as DynamoDB does and the emulator doesn't. */
export async function removeExpiredItems(table: DynamoDBDocumentClient, registryTable: string): Promise<void> {
  const expiredBefore = Math.floor(Date.now() / 1000) - REMOVAL_LAG_SECONDS;
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new ScanCommand({
        TableName: registryTable,
        FilterExpression: '#ttl < :before',
        ProjectionExpression: 'kind, id',
        ExpressionAttributeNames: { '#ttl': TTL },
        ExpressionAttributeValues: { ':before': expiredBefore },
        // Small, because the emulator is blocked while it scans.
        Limit: 500,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const { kind, id } of page.Items ?? [])
      await removeStillExpired(table, { registryTable, key: { kind, id }, expiredBefore });
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}

async function removeStillExpired(
  table: DynamoDBDocumentClient,
  { registryTable, key, expiredBefore }: { registryTable: string; key: Record<string, unknown>; expiredBefore: number },
): Promise<void> {
  const command = new DeleteCommand({
    TableName: registryTable,
    Key: key,
    ConditionExpression: '#ttl < :before',
    ExpressionAttributeNames: { '#ttl': TTL },
    ExpressionAttributeValues: { ':before': expiredBefore },
  });
  await table.send(command).catch((error: unknown) => {
    // It was renewed in the meantime.
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
  });
}
