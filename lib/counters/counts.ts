import { createHash } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { LaterCode } from '../contract/later-code.ts';
import { STATUSES, type Status } from '../contract/statuses.ts';
import { queriedItems } from '../platform/aws/queried-items.ts';
import type { Registry } from '../platform/registry.ts';
import { addOnce, checkpointIn } from './counted-sums.ts';

const KIND = 'counter';

/** How many items the counts are spread over, by shard of the stream: each stays small, however many shards there are. */
const SPREAD = 16;

/** Prefix of the attributes with counts. */
const COUNT = 'n_';

/** How many jobs are in each state. States of a later version are counted beside the known ones. */
export type StatusCounts = Record<Status, number> & Record<LaterCode, number>;

/** Separates a status from what its jobs are counted apart for. No status contains it. */
const APART = '-';

/** Begins the states of system jobs, which clients don't count. */
const SYSTEM = `system${APART}`;

/**
 * The state in which a job is counted: its state in the index by status, so that all versions count a change alike,
 * also one of a job that only the later ones understand.
 */
export function countedState({ status, status_key }: { status: string; status_key?: string | undefined }): string {
  const [state = status] = status_key?.split('#') ?? [];
  if (state.startsWith(SYSTEM)) return state;
  return state.startsWith(`${status}${APART}`) ? state : status;
}

/** A change of a job from the table's stream: its states as `indexedState` names them. */
export interface JobChange {
  /** Position in its shard: a decimal number as text, ascending. */
  readonly sequence: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Counts of jobs by state, updated from the table's stream: each change counts once. */
export class JobCounts {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async read(): Promise<StatusCounts> {
    const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as StatusCounts;
    for (const [state, count] of Object.entries(await this.readStates())) {
      if (state.startsWith(SYSTEM)) continue;
      const [status = state] = state.split(APART);
      counts[status] = (counts[status] ?? 0) + count;
    }
    return counts;
  }

  /** How many jobs there are by `indexedState`: parked ones are counted apart. */
  async readStates(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    const items = queriedItems(this.#registry.table, {
      TableName: this.#registry.registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': KIND },
      ConsistentRead: true,
    });
    for await (const item of items)
      for (const [name, count] of Object.entries(item)) {
        if (!name.startsWith(COUNT)) continue;
        const state = name.slice(COUNT.length);
        counts[state] = (counts[state] ?? 0) + Number(count);
      }
    return counts;
  }

  /** The position up to which the changes of a shard have been counted. */
  async checkpoint(shard: string): Promise<string | undefined> {
    const { table, registryTable } = this.#registry;
    const Key = itemOf(shard);
    const { Item = {} } = await table.send(new GetCommand({ TableName: registryTable, Key, ConsistentRead: true }));
    return checkpointIn(Item, shard);
  }

  /** Counts the changes after the shard's checkpoint and moves it. */
  async apply(shard: string, changes: readonly JobChange[]): Promise<void> {
    // Changes within a state don't change any count.
    if (changes.every(({ before, after }) => before === after)) return;
    const additions = changes.map(({ sequence, before, after }) => ({ sequence, add: addedBy(before, after) }));
    await addOnce(this.#registry, itemOf(shard), { shard, additions });
  }
}

function itemOf(shard: string): { readonly kind: string; readonly id: string } {
  const [byte = 0] = createHash('sha256').update(shard).digest();
  return { kind: KIND, id: `jobs#${String(byte % SPREAD).padStart(2, '0')}` };
}

function addedBy(before: JobChange['before'], after: JobChange['after']): Record<string, number> {
  if (before === after) return {};
  return {
    ...(before !== undefined && { [`${COUNT}${before}`]: -1 }),
    ...(after !== undefined && { [`${COUNT}${after}`]: 1 }),
  };
}
