import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Addition, addOnce } from '../../counters/counted-sums.ts';
import type { Registry } from '../../platform/registry.ts';
import { type CountedJob, type StatsChange, statsChanges } from './job-stats.ts';

/** A change of a job from the table's stream, with the job before and after. */
export interface CountedChange {
  /** Position in its shard: a decimal number as text, ascending. */
  readonly sequence: string;
  readonly before: CountedJob | undefined;
  readonly after: CountedJob | undefined;
}

/** Statistics of days, models and projects, updated from the stream of the Jobs table: each change counts once. */
export class StatsStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async apply(shard: string, changes: readonly CountedChange[]): Promise<void> {
    const byItem = new Map<string, { key: Pick<StatsChange, 'kind' | 'id'>; additions: Addition[] }>();
    for (const { sequence, before, after } of changes) {
      for (const { kind, id, add, activeAt } of statsChanges(before, after)) {
        const known = byItem.get(`${kind}#${id}`) ?? { key: { kind, id }, additions: [] };
        known.additions.push({ sequence, add, activeAt });
        byItem.set(`${kind}#${id}`, known);
      }
    }
    await Promise.all(
      [...byItem.values()].map(({ key, additions }) => addOnce(this.#registry, key, { shard, additions })),
    );
  }

  /** Items of a kind in the order of their ids, from one Query: a megabyte, or `limit`. */
  async list(
    kind: StatsChange['kind'],
    { from = ' ', limit }: { from?: string; limit: number },
  ): Promise<{ items: Record<string, unknown>[]; more: boolean }> {
    const { table, registryTable } = this.#registry;
    const { Items = [], LastEvaluatedKey } = await table.send(
      new QueryCommand({
        TableName: registryTable,
        KeyConditionExpression: 'kind = :kind AND id >= :from',
        ExpressionAttributeValues: { ':kind': kind, ':from': from },
        Limit: limit,
      }),
    );
    return { items: Items, more: LastEvaluatedKey !== undefined };
  }
}
