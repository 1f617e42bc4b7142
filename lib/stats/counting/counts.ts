import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { isKnown, type LaterCode } from '../../contract/later-code.ts';
import { STATUSES, type Status } from '../../contract/schemas/job.ts';
import type { Registry } from '../../platform/registry.ts';

const KEY = { kind: 'counter', id: 'jobs' } as const;

/** How many jobs are in each state. States of a later version are counted beside the known ones. */
export type StatusCounts = Record<Status, number> & Record<LaterCode, number>;

/** A change of a job from the table's stream. */
export interface JobChange {
  /** Position in its shard: a decimal number as text, ascending. */
  readonly sequence: string;
  readonly before: Status | LaterCode | undefined;
  readonly after: Status | LaterCode | undefined;
}

const counterSchema = z.object({
  counts: z.record(z.string(), z.number()).optional(),
  checkpoints: z.record(z.string(), z.string()).default({}),
});

/** Counts of jobs by state, updated from the table's stream. */
export class JobCounts {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor({ table, registryTable }: Registry) {
    this.#table = table;
    this.#tableName = registryTable;
  }

  async read(): Promise<StatusCounts> {
    const { counts } = await this.#counter();
    return { ...zeros(), ...counts };
  }

  /** The position up to which the changes of a shard have been counted. */
  async checkpoint(shard: string): Promise<string | undefined> {
    return (await this.#counter()).checkpoints[shard];
  }

  /**
   * Counts the changes after the shard's checkpoint and moves it, in one write on condition that it is unchanged: a
   * change counts once, however batches are repeated or split.
   */
  async apply(shard: string, changes: readonly JobChange[]): Promise<void> {
    // Heartbeats don't change any count.
    if (changes.every(({ before, after }) => before === after)) return;
    for (;;) {
      const { checkpoints, counts } = await this.#counter();
      if (counts === undefined) await this.#createCounter();
      const checkpoint = checkpoints[shard];
      const fresh = changes.filter(
        (change) => checkpoint === undefined || BigInt(change.sequence) > BigInt(checkpoint),
      );
      const last = fresh.reduce(
        (highest, { sequence }) => (BigInt(sequence) > BigInt(highest) ? sequence : highest),
        checkpoint ?? '0',
      );
      if (fresh.length === 0) return;
      const outdated = Object.keys(checkpoints).filter((other) => isOutdated(other, shard));
      if (await this.#write(shard, { checkpoint, last, sum: sumOf(fresh), outdated })) return;
    }
  }

  async #counter(): Promise<z.output<typeof counterSchema>> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: KEY, ConsistentRead: true }),
    );
    return counterSchema.parse(Item ?? {});
  }

  async #createCounter(): Promise<void> {
    await this.#conditionally({
      UpdateExpression: 'SET checkpoints = :none, counts = :zeros',
      ConditionExpression: 'attribute_not_exists(id)',
      ExpressionAttributeValues: { ':none': {}, ':zeros': zeros() },
    });
  }

  async #write(
    shard: string,
    move: { checkpoint: string | undefined; last: string; sum: StatusCounts; outdated: readonly string[] },
  ): Promise<boolean> {
    const { checkpoint, last, sum, outdated } = move;
    const later = Object.keys(sum).filter((status) => !isKnown(STATUSES, status));
    const set = [
      'checkpoints.#shard = :last',
      ...STATUSES.map((status) => `counts.${status} = counts.${status} + :${status}`),
      ...later.map((_, at) => `counts.#later${at} = if_not_exists(counts.#later${at}, :none) + :later${at}`),
    ];
    const remove = outdated.map((_, at) => `checkpoints.#old${at}`);
    return await this.#conditionally({
      UpdateExpression: `SET ${set.join(', ')}${remove.length > 0 ? ` REMOVE ${remove.join(', ')}` : ''}`,
      ConditionExpression:
        checkpoint === undefined ? 'attribute_not_exists(checkpoints.#shard)' : 'checkpoints.#shard = :checkpoint',
      ExpressionAttributeNames: {
        '#shard': shard,
        ...Object.fromEntries(outdated.map((old, at) => [`#old${at}`, old])),
        ...Object.fromEntries(later.map((status, at) => [`#later${at}`, status])),
      },
      ExpressionAttributeValues: {
        ':last': last,
        ...Object.fromEntries(STATUSES.map((status) => [`:${status}`, sum[status]])),
        ...(later.length > 0 && { ':none': 0 }),
        ...Object.fromEntries(later.map((status, at) => [`:later${at}`, sum[status]])),
        ...(checkpoint !== undefined && { ':checkpoint': checkpoint }),
      },
    });
  }

  async #conditionally(update: {
    UpdateExpression: string;
    ConditionExpression: string;
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues: Record<string, unknown>;
  }): Promise<boolean> {
    try {
      await this.#table.send(new UpdateCommand({ TableName: this.#tableName, Key: KEY, ...update }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

/** A stream keeps its records for a day: a shard that was opened this long (ms) before another has none left. */
const SHARD_LIFE_MS = 3 * 24 * 3_600_000;

/** Whether a shard is too old to have records, by the opening times in DynamoDB's shard ids. */
function isOutdated(shard: string, current: string): boolean {
  const [opened, now] = [shard, current].map((id) => Number(/^shardId-(\d{20})-/.exec(id)?.[1] ?? Number.NaN));
  return opened !== undefined && now !== undefined && opened < now - SHARD_LIFE_MS;
}

function sumOf(changes: readonly JobChange[]): StatusCounts {
  const sum = zeros();
  for (const { before, after } of changes) {
    if (before !== undefined) sum[before] = (sum[before] ?? 0) - 1;
    if (after !== undefined) sum[after] = (sum[after] ?? 0) + 1;
  }
  return sum;
}

function zeros(): StatusCounts {
  return Object.fromEntries(STATUSES.map((status) => [status, 0])) as StatusCounts;
}
