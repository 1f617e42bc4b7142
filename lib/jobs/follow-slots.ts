import { randomInt, randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../aws/queried-items.ts';
import type { Clock } from '../aws/table-clock.ts';
import { timestamp } from '../aws/table-clock.ts';
import { FOLLOW_SLOT_KIND } from '../aws/tables.ts';

/** How often a slot is tried for that another function takes first. */
const MAX_ATTEMPTS = 3;

/** A follower's share of the functions that may stream at once. */
export interface FollowSlot {
  /** Frees the slot. Never rejects: a slot that is not freed expires. */
  release(): Promise<void>;
}

/** Limits how many functions of a deployment stream a followed log at once, so that others can run. */
export class FollowSlots {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #count: number;

  constructor(options: { table: DynamoDBDocumentClient; registryTable: string; clock: Clock; count: number }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
    this.#count = options.count;
  }

  /** @returns undefined if all are taken. @param durationMs after which the slot expires */
  async acquire(durationMs: number): Promise<FollowSlot | undefined> {
    const holder = randomUUID();
    const taken = await this.#taken();
    const free = Array.from({ length: this.#count }, (_, number) => String(number)).filter((id) => !taken.has(id));
    for (let attempt = 0; attempt < MAX_ATTEMPTS && free.length > 0; attempt += 1) {
      const [id = ''] = free.splice(randomInt(free.length), 1);
      if (await this.#take(id, holder, durationMs)) return { release: async () => await this.#release(id, holder) };
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

  async #take(id: string, holder: string, durationMs: number): Promise<boolean> {
    const now = this.#clock.now();
    const take = new PutCommand({
      TableName: this.#tableName,
      Item: {
        kind: FOLLOW_SLOT_KIND,
        id,
        holder,
        held_until: timestamp(now + durationMs),
        expires_at_epoch: Math.ceil((now + durationMs) / 1000) + 86_400,
      },
      ConditionExpression: 'attribute_not_exists(id) OR held_until < :now',
      ExpressionAttributeValues: { ':now': timestamp(now) },
    });
    try {
      await this.#table.send(take);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async #release(id: string, holder: string): Promise<void> {
    const release = new DeleteCommand({
      TableName: this.#tableName,
      Key: { kind: FOLLOW_SLOT_KIND, id },
      ConditionExpression: 'holder = :holder',
      ExpressionAttributeValues: { ':holder': holder },
    });
    await this.#table.send(release).catch(() => undefined);
  }
}
