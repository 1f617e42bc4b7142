import { DeleteCommand, type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { TABLES } from '../aws/tables.ts';

const TTL = TABLES.registry.ttlAttribute;

/** Removes what DynamoDB removes by itself some time after its expiry, and the emulator doesn't. */
export async function removeExpiredItems(table: DynamoDBDocumentClient, registryTable: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new ScanCommand({
        TableName: registryTable,
        FilterExpression: '#ttl < :now',
        ProjectionExpression: 'kind, id',
        ExpressionAttributeNames: { '#ttl': TTL },
        ExpressionAttributeValues: { ':now': now },
        // Small, because the emulator does nothing else while it scans.
        Limit: 500,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const { kind, id } of page.Items ?? [])
      await removeStillExpired(table, { registryTable, key: { kind, id }, now });
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}

async function removeStillExpired(
  table: DynamoDBDocumentClient,
  { registryTable, key, now }: { registryTable: string; key: Record<string, unknown>; now: number },
): Promise<void> {
  const command = new DeleteCommand({
    TableName: registryTable,
    Key: key,
    ConditionExpression: '#ttl < :now',
    ExpressionAttributeNames: { '#ttl': TTL },
    ExpressionAttributeValues: { ':now': now },
  });
  await table.send(command).catch((error: unknown) => {
    // It was renewed.
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
  });
}
