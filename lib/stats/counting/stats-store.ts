import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Registry } from '../../platform/registry.ts';
import { type CountedJob, type StatsChange, statsChanges, sum } from './job-stats.ts';

/** A change of a job from the table's stream, with the job before and after. */
export interface CountedChange {
  /** Position in its shard: a decimal number as text, ascending. */
  readonly sequence: string;
  readonly before: CountedJob | undefined;
  readonly after: CountedJob | undefined;
}

type Sequenced = StatsChange & { readonly sequence: string };

/**
 * Statistics of days, models and projects, updated from the stream of the Jobs table. Each item stores a checkpoint for
 * each shard and is written on condition that the checkpoint lies before the added changes: a change counts once
 * however batches are repeated or split, at the cost of one write and no read per item.
 */
export class StatsStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async apply(shard: string, changes: readonly CountedChange[]): Promise<void> {
    const byItem = new Map<string, Sequenced[]>();
    for (const { sequence, before, after } of changes) {
      for (const change of statsChanges(before, after)) {
        const key = `${change.kind}#${change.id}`;
        byItem.set(key, [...(byItem.get(key) ?? []), { ...change, sequence: sortable(sequence) }]);
      }
    }
    await Promise.all([...byItem.values()].map(async (ofItem) => await this.#applyToItem(shard, ofItem)));
  }

  async #applyToItem(shard: string, changes: readonly Sequenced[]): Promise<void> {
    let left = changes.toSorted((a, b) => a.sequence.localeCompare(b.sequence));
    for (;;) {
      const [first] = left;
      if (first === undefined) return;
      const counted = await this.#add(first, shard, left);
      if (counted === undefined) return;
      left = left.filter(({ sequence }) => sequence > counted);
    }
  }

  /** @returns undefined if it was added, else the item's checkpoint */
  async #add(item: StatsChange, shard: string, changes: readonly Sequenced[]): Promise<string | undefined> {
    const { table, registryTable } = this.#registry;
    const added = Object.entries(sum(...changes.map(({ add }) => add)));
    const activeAt = changes.findLast((change) => change.activeAt !== undefined)?.activeAt;
    const checkpoint = checkpointOf(shard);
    try {
      const { Attributes = {} } = await table.send(
        new UpdateCommand({
          TableName: registryTable,
          Key: { kind: item.kind, id: item.id },
          UpdateExpression: [
            `SET #checkpoint = :last${activeAt === undefined ? '' : ', active_at = :active_at'}`,
            ...(added.length === 0 ? [] : [`ADD ${added.map((_, at) => `#a${at} :a${at}`).join(', ')}`]),
          ].join(' '),
          ConditionExpression: 'attribute_not_exists(#checkpoint) OR #checkpoint < :first',
          ExpressionAttributeNames: {
            '#checkpoint': checkpoint,
            ...Object.fromEntries(added.map(([name], at) => [`#a${at}`, name])),
          },
          ExpressionAttributeValues: {
            ':first': changes[0]?.sequence,
            ':last': changes.at(-1)?.sequence,
            ...(activeAt !== undefined && { ':active_at': activeAt }),
            ...Object.fromEntries(added.map(([, value], at) => [`:a${at}`, value])),
          },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      await this.#forget(item, outdated(Object.keys(Attributes), checkpoint));
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
      return String(unmarshall(error.Item)[checkpoint]);
    }
  }

  /** Removes the checkpoints of shards that have no more records. */
  async #forget({ kind, id }: StatsChange, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { table, registryTable } = this.#registry;
    await table.send(
      new UpdateCommand({
        TableName: registryTable,
        Key: { kind, id },
        UpdateExpression: `REMOVE ${names.map((_, at) => `#c${at}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#c${at}`, name])),
      }),
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

/** Longer numbers are greater: prefixed with their length, texts sort as numbers do. */
function sortable(sequence: string): string {
  const digits = sequence.replace(/^0+(?=\d)/, '');
  return `${String(digits.length).padStart(2, '0')}${digits}`;
}

/**
 * The attribute for a shard's checkpoint: short, because an item over 1 KB costs twice. DynamoDB's shard ids contain
 * the opening time.
 */
function checkpointOf(shard: string): string {
  const opened = /^shardId-(\d{20})-/.exec(shard)?.[1];
  const hash = createHash('sha256').update(shard).digest('hex').slice(0, 6);
  return opened === undefined ? `c_${hash}` : `c_${hash}_${Math.floor(Number(opened) / 60_000).toString(36)}`;
}

/** A stream keeps its records for a day and opens new shards every few hours. Minutes after which a shard is empty. */
const SHARD_LIFE_MINUTES = 2 * 24 * 60;

function outdated(names: readonly string[], current: string): string[] {
  const now = openedAt(current);
  return names.filter((name) => {
    const opened = openedAt(name);
    return now !== undefined && opened !== undefined && opened < now - SHARD_LIFE_MINUTES;
  });
}

/** Minutes since 1970. */
function openedAt(checkpoint: string): number | undefined {
  const opened = /^c_[0-9a-f]{6}_([0-9a-z]+)$/.exec(checkpoint)?.[1];
  return opened === undefined ? undefined : Number.parseInt(opened, 36);
}
