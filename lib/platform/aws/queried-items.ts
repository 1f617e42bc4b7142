import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';

/** All items that a query finds, page by page as they are taken; the next page is asked for when the last is used up. */
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
