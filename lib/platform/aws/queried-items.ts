import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';

/** All items of a query; each page is requested when the previous one is consumed. */
export async function* queriedItems(
  table: DynamoDBDocumentClient,
  query: QueryCommandInput,
): AsyncGenerator<Record<string, unknown>> {
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(new QueryCommand({ ...query, ...(from && { ExclusiveStartKey: from }) }));
    yield* page.Items ?? [];
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}
