import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import { PROFILE_KIND } from './profiles.ts';
import type { Registry } from './registry-page.ts';
import { RULE_KIND } from './rules.ts';

/** Counts the changes of rules and profiles, so that of two at once the second judges anew; and what was imported. */
const stateSchema = z.object({ version: z.number(), rules: z.number(), profiles: z.number() });
export type CatalogState = z.output<typeof stateSchema>;
const STATE_KEY = { kind: 'catalog', id: 'state' } as const;

/** The kinds of the registry's items that an import reads and writes. */
export const CATALOG_KINDS = [STATE_KEY.kind, RULE_KIND, PROFILE_KIND] as const;

/** How often a change is judged anew because another came in between. */
const ROUNDS = 5;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** What a change comes to: the answer, and what is to be written for it; without that there is nothing to change. */
export interface CatalogChange<T> {
  readonly answer: T;
  readonly write?: { readonly items: readonly TransactItem[]; readonly next: Omit<CatalogState, 'version'> };
}

/**
 * Changes rules and profiles in one transaction, judged anew if another change came in between.
 * @throws ApiError `unavailable` when others come in between all the time; whatever `judge` throws.
 */
export async function changeCatalog<T>(
  registry: Registry,
  update: (state: CatalogState) => Promise<CatalogChange<T>>,
): Promise<T> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = await readState(registry);
    const { answer, write } = await update(state);
    if (write === undefined) return answer;
    if (await apply(registry, write.items, { state, next: { ...write.next, version: state.version + 1 } }))
      return answer;
  }
  throw ApiError.of('unavailable', { reason: 'other imports came in between all the time' }, 1);
}

async function readState({ table, registryTable }: Registry): Promise<CatalogState> {
  const { Item } = await table.send(new GetCommand({ TableName: registryTable, Key: STATE_KEY, ConsistentRead: true }));
  return Item === undefined ? { version: 0, rules: 0, profiles: 0 } : stateSchema.parse(Item);
}

/** @returns whether nothing came in between. */
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
