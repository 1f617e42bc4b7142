import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { InvalidFieldError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import { queriedItems } from './aws/queried-items.ts';
import type { Registry } from './registry.ts';

/** Items of one kind, in the order of their ids. */
interface RegistryPage {
  readonly items: readonly Record<string, unknown>[];
  readonly nextCursor: string | null;
}

/**
 * Reads a page of one kind with one Query (at most 1 MB).
 * @param options.order `last`: the last id comes first
 * @throws ApiError for an invalid cursor
 */
export async function registryPage(
  { table, registryTable }: Registry,
  kind: string,
  { limit = LIMITS.catalogPage.default, cursor }: PageQuery,
  { order = 'first' }: { readonly order?: 'first' | 'last' } = {},
): Promise<RegistryPage> {
  const { Items = [], LastEvaluatedKey } = await table.send(
    new QueryCommand({
      TableName: registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': kind },
      Limit: limit,
      ScanIndexForward: order === 'first',
      ...(cursor !== undefined && { ExclusiveStartKey: { kind, id: readCursor(cursor) } }),
    }),
  );
  return { items: Items, nextCursor: LastEvaluatedKey === undefined ? null : writeCursor(LastEvaluatedKey) };
}

/** All items of one kind, by consistent reads. */
export async function* registryItems(
  { table, registryTable }: Registry,
  kind: string,
): AsyncGenerator<Record<string, unknown>> {
  yield* queriedItems(table, {
    TableName: registryTable,
    KeyConditionExpression: 'kind = :kind',
    ExpressionAttributeValues: { ':kind': kind },
    ConsistentRead: true,
  });
}

const cursorSchema = z.tuple([
  z
    .string()
    .min(1)
    .refine((id) => Buffer.byteLength(id) <= LIMITS.keyBytes),
]);

function writeCursor({ id }: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify([id])).toString('base64url');
}

function readCursor(cursor: string): string {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))[0];
  } catch {
    throw InvalidFieldError.of(
      'cursor',
      `received ${JSON.stringify(cursor.slice(0, 60))}; give next_cursor of the page before`,
    );
  }
}
