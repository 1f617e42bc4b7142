import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Registry } from '../platform/registry.ts';

/** What a record of the stream adds to an item. */
export interface Addition {
  /** Position in its shard: a decimal number as text, ascending. */
  readonly sequence: string;
  readonly add: Readonly<Record<string, number>>;
  /** When a job changed its state. */
  readonly activeAt?: string | undefined;
}

interface ItemKey {
  readonly kind: string;
  readonly id: string;
}

/**
 * Adds to the numbers in an item of the Registry what records of a shard of the stream add. The item stores a checkpoint
 * for each shard and is written on condition that the checkpoint lies before the added records: a record counts once
 * however batches are repeated or split, at the cost of one write and no read.
 */
export async function addOnce(
  registry: Registry,
  key: ItemKey,
  { shard, additions }: { readonly shard: string; readonly additions: readonly Addition[] },
): Promise<void> {
  let left = additions
    .map((addition) => ({ ...addition, sequence: sortable(addition.sequence) }))
    .toSorted((a, b) => a.sequence.localeCompare(b.sequence));
  while (left.length > 0) {
    const counted = await add(registry, key, { shard, additions: left });
    if (counted === undefined) return;
    left = left.filter(({ sequence }) => sequence > counted);
  }
}

/** @returns the item's checkpoint if it already has some of the additions; undefined: all are added */
async function add(
  registry: Registry,
  { kind, id }: ItemKey,
  { shard, additions }: { readonly shard: string; readonly additions: readonly Addition[] },
): Promise<string | undefined> {
  const { table, registryTable } = registry;
  const added = Object.entries(sum(...additions.map((addition) => addition.add)));
  const activeAt = additions.findLast((addition) => addition.activeAt !== undefined)?.activeAt;
  const checkpoint = checkpointName(shard);
  try {
    const { Attributes = {} } = await table.send(
      new UpdateCommand({
        TableName: registryTable,
        Key: { kind, id },
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
          ':first': additions[0]?.sequence,
          ':last': additions.at(-1)?.sequence,
          ...(activeAt !== undefined && { ':active_at': activeAt }),
          ...Object.fromEntries(added.map(([, value], at) => [`:a${at}`, value])),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    await forget(registry, { kind, id }, outdated(Object.keys(Attributes), checkpoint));
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
    return String(unmarshall(error.Item)[checkpoint]);
  }
}

/** Removes the checkpoints of shards that have no more records. */
async function forget({ table, registryTable }: Registry, key: ItemKey, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await table.send(
    new UpdateCommand({
      TableName: registryTable,
      Key: { ...key },
      UpdateExpression: `REMOVE ${names.map((_, at) => `#c${at}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#c${at}`, name])),
    }),
  );
}

/** The position in the stream up to which an item has counted a shard. */
export function checkpointIn(item: Readonly<Record<string, unknown>>, shard: string): string | undefined {
  const checkpoint = item[checkpointName(shard)];
  return typeof checkpoint === 'string' ? checkpoint.slice(LENGTH_DIGITS) : undefined;
}

const LENGTH_DIGITS = 2;

/** Longer numbers are greater: prefixed with their length, texts sort as numbers do. */
export function sortable(sequence: string): string {
  const digits = sequence.replace(/^0+(?=\d)/, '');
  return `${String(digits.length).padStart(LENGTH_DIGITS, '0')}${digits}`;
}

/**
 * The attribute for a shard's checkpoint: short, because an item over 1 KB costs twice. DynamoDB's shard ids contain
 * the opening time.
 */
export function checkpointName(shard: string): string {
  const opened = /^shardId-(\d{20})-/.exec(shard)?.[1];
  const hash = createHash('sha256').update(shard).digest('hex').slice(0, 6);
  return opened === undefined ? `c_${hash}` : `c_${hash}_${Math.floor(Number(opened) / 60_000).toString(36)}`;
}

/** A stream keeps its records for a day and opens new shards every few hours. Minutes after which a shard is empty. */
const SHARD_LIFE_MINUTES = 2 * 24 * 60;

/** The checkpoints among these attributes whose shards are empty by now. */
export function outdated(names: readonly string[], current: string): string[] {
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

/** The sum of additions, without zeros. */
export function sum(...additions: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const addition of additions)
    for (const [name, value] of Object.entries(addition)) total[name] = (total[name] ?? 0) + value;
  return Object.fromEntries(Object.entries(total).filter(([, value]) => value !== 0));
}
