import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Registry } from '../platform/registry.ts';
import { untilFirst } from '../platform/until-first.ts';
import { PROFILE_KIND } from './profiles.ts';
import { RULE_KIND } from './rules.ts';

/** The version of the rules and profiles, which detects concurrent changes, and the numbers of imported entries. */
const stateSchema = z.object({ version: z.number(), rules: z.number(), profiles: z.number() });
export type CatalogState = z.output<typeof stateSchema>;
const STATE_KEY = { kind: 'catalog', id: 'state' } as const;

/** The registry's item kinds that an import reads and writes. */
export const CATALOG_KINDS = [STATE_KEY.kind, RULE_KIND, PROFILE_KIND] as const;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The outcome of a change: the answer, and the items to write for it, if any. */
interface CatalogChange<T> {
  readonly answer: T;
  readonly write?: { readonly items: readonly TransactItem[]; readonly next: Omit<CatalogState, 'version'> };
}

/**
 * Changes rules and profiles in one transaction; a concurrent change makes it run `judge` again.
 * @throws ApiError `unavailable` when concurrent changes win every attempt; any error of `judge`
 */
export async function changeCatalog<T>(
  registry: Registry,
  update: (state: CatalogState) => Promise<CatalogChange<T>>,
): Promise<T> {
  return await untilFirst(async () => {
    const state = await readState(registry);
    const { answer, write } = await update(state);
    if (write === undefined) return { result: answer };
    const next = { ...write.next, version: state.version + 1 };
    return (await apply(registry, write.items, { state, next })) ? { result: answer } : undefined;
  });
}

async function readState({ table, registryTable }: Registry): Promise<CatalogState> {
  const { Item } = await table.send(new GetCommand({ TableName: registryTable, Key: STATE_KEY, ConsistentRead: true }));
  return Item === undefined ? { version: 0, rules: 0, profiles: 0 } : stateSchema.parse(Item);
}

/** @returns false if a concurrent change won. */
async function apply(
  { table, registryTable }: Registry,
  items: readonly TransactItem[],
  { state, next }: { state: CatalogState; next: CatalogState },
): Promise<boolean> {
  const condition =
    state.version === 0
      ? { ConditionExpression: 'attribute_not_exists(id)' }
      : { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': state.version } };
  try {
    const Put = { TableName: registryTable, Item: { ...STATE_KEY, ...next }, ...condition };
    await table.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...items] }));
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException && error.CancellationReasons?.some(isInBetween)) return false;
    throw error;
  }
}

function isInBetween({ Code }: { Code?: string | undefined }): boolean {
  return Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict';
}
