import { BatchGetCommand, type BatchGetCommandOutput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** DynamoDB's limit of keys in one request. */
const KEYS_PER_REQUEST = 100;

type Item = Record<string, unknown>;

/**
 * The items of these keys, in no order; missing ones are left out.
 * @param options.consistent sees every acknowledged write; default: eventually consistent, at half the price
 */
export async function batchGet(
  table: DynamoDBDocumentClient,
  tableName: string,
  keys: readonly Item[],
  { consistent = false }: { consistent?: boolean } = {},
): Promise<Item[]> {
  const groups: Item[][] = [];
  for (let at = 0; at < keys.length; at += KEYS_PER_REQUEST) groups.push(keys.slice(at, at + KEYS_PER_REQUEST));
  const found = await Promise.all(
    groups.map((group) => oneGroup(table, tableName, { Keys: group, ConsistentRead: consistent })),
  );
  return found.flat();
}

async function oneGroup(
  table: DynamoDBDocumentClient,
  tableName: string,
  { Keys, ConsistentRead }: { Keys: Item[]; ConsistentRead: boolean },
): Promise<Item[]> {
  const found: Item[] = [];
  let left: Item[] | undefined = Keys;
  while (left !== undefined && left.length > 0) {
    const answer: BatchGetCommandOutput = await table.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead } } }),
    );
    found.push(...(answer.Responses?.[tableName] ?? []));
    left = answer.UnprocessedKeys?.[tableName]?.Keys;
  }
  return found;
}
