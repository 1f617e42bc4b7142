import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, type BatchGetCommandOutput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** DynamoDB's limit of keys in one request. */
const KEYS_PER_REQUEST = 100;

/** Milliseconds before the keys that a response left out are asked for again; each pause is twice as long as the last. */
const FIRST_PAUSE_MS = 50;
/** Requests in a row that answer none of their keys; with the pauses between them, 3 s. */
const MAX_FRUITLESS = 7;

type Item = Record<string, unknown>;

/**
 * The items of these keys, in no order; missing ones are left out.
 * @param options.consistent sees every acknowledged write; default: eventually consistent, at half the price
 * @throws ProvisionedThroughputExceededException if DynamoDB keeps leaving out keys
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
  let left = Keys;
  for (let fruitless = 0; ; ) {
    const answer: BatchGetCommandOutput = await table.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead } } }),
    );
    found.push(...(answer.Responses?.[tableName] ?? []));
    const unprocessed = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
    if (unprocessed.length === 0) return found;
    fruitless = unprocessed.length < left.length ? 0 : fruitless + 1;
    if (fruitless === MAX_FRUITLESS) throw stillThrottled(`${tableName}: ${unprocessed.length} keys are left out`);
    left = unprocessed;
    const pauseMs = FIRST_PAUSE_MS * 2 ** Math.max(0, fruitless - 1);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function stillThrottled(message: string): Error {
  return new ProvisionedThroughputExceededException({ message, $metadata: {} });
}
