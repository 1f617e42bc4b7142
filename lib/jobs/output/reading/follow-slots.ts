import { randomInt, randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../../../platform/aws/queried-items.ts';
import type { Clock } from '../../../platform/aws/table-clock.ts';
import { timestamp } from '../../../platform/aws/table-clock.ts';
import { FOLLOW_SLOT_KIND } from '../../../platform/aws/tables.ts';
import type { Registry } from '../../../platform/registry.ts';
import { SharedLocks } from '../../../platform/shared-lock.ts';

/** How often acquiring a slot is tried while other functions are faster. */
const MAX_ATTEMPTS = 3;

/** One of the functions that may stream at once, assigned to a client. */
export interface FollowSlot {
  /** Frees the slot. Never rejects: a slot that is not freed expires. */
  release(): Promise<void>;
}

/**
 * Limits how many functions of a deployment stream followed logs at once, so that others can run: Lambda does not tell
 * a function that its client has gone, and a new account runs ten functions, for which AWS reserves no concurrency.
 */
export class FollowSlots {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #count: number;
  readonly #locks: SharedLocks;

  constructor(options: Registry & { clock: Clock; count: number }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
    this.#count = options.count;
    this.#locks = new SharedLocks({ ...options, kind: FOLLOW_SLOT_KIND });
  }

  /** @returns undefined if all slots are taken. @param durationMs after which the slot expires */
  async acquire(durationMs: number): Promise<FollowSlot | undefined> {
    const holder = randomUUID();
    const taken = await this.#taken();
    const free = Array.from({ length: this.#count }, (_, number) => String(number)).filter((id) => !taken.has(id));
    for (let attempt = 0; attempt < MAX_ATTEMPTS && free.length > 0; attempt += 1) {
      const [id = ''] = free.splice(randomInt(free.length), 1);
      if (await this.#locks.take(id, holder, durationMs))
        return { release: async () => await this.#locks.release(id, holder).catch(() => undefined) };
    }
    return undefined;
  }

  async #taken(): Promise<Set<string>> {
    const now = timestamp(this.#clock.now());
    const slots = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind',
      FilterExpression: 'held_until >= :now',
      ExpressionAttributeValues: { ':kind': FOLLOW_SLOT_KIND, ':now': now },
    });
    const taken = new Set<string>();
    for await (const { id } of slots) taken.add(String(id));
    return taken;
  }
}
