import { randomBytes } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { FeedReaders } from '../../events/feed-readers.ts';
import { SUBSCRIPTION_KINDS } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';
import { registryItems } from '../../platform/registry-page.ts';
import { projectIdOf } from '../../projects/projects.ts';
import { type Delivery, deliveryPut } from './delivery-store.ts';
import { type Health, healthSchema, readTypes, type Subscription, subscriptionSchema } from './subscription.ts';

/*
 * Subscriptions in the registry: one item each, one more for its health, and a reader of the feed while it is enabled.
 * A transaction changes subscription and reader together.
 */

type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

/** The kind of the readers of subscriptions, before the id. */
export const READER_KIND = 'subscription';

/** The id of a subscription: the one of its name, or the id itself. */
export function subscriptionIdOf(reference: string): string {
  return projectIdOf(reference);
}

function readerOf({ id }: Pick<Subscription, 'id'>): string {
  return `${READER_KIND}:${id}`;
}

export class SubscriptionStore {
  readonly #registry: Registry;
  readonly #readers: Pick<FeedReaders, 'addition' | 'removal'>;

  constructor(options: Registry & { readonly readers: Pick<FeedReaders, 'addition' | 'removal'> }) {
    this.#registry = options;
    this.#readers = options.readers;
  }

  /** As of the last acknowledged write. */
  async get(id: string): Promise<Subscription | undefined> {
    const { table, registryTable } = this.#registry;
    const { Item } = await table.send(
      new GetCommand({ TableName: registryTable, Key: { kind: SUBSCRIPTION_KINDS.own, id }, ConsistentRead: true }),
    );
    return Item && subscriptionSchema.parse(Item);
  }

  async list(): Promise<Subscription[]> {
    const items = await Array.fromAsync(registryItems(this.#registry, SUBSCRIPTION_KINDS.own));
    return items.map((item) => subscriptionSchema.parse(item));
  }

  /**
   * Replaces `known` with `next`, unless another writer was faster. Its reader begins with the next event when it is
   * enabled, and what waits for another try is tried soon.
   * @param known undefined: there is none yet
   * @returns what is stored; undefined on a conflict
   */
  async replace(
    known: Subscription | undefined,
    next: Omit<Subscription, 'version' | 'change_id'>,
  ): Promise<Subscription | undefined> {
    const change_id = randomBytes(6).toString('base64url');
    const written: Subscription = { ...next, version: (known?.version ?? 0) + 1, change_id };
    const reader = readerOf(next);
    const isDone = await this.#transact([
      {
        Put: {
          TableName: this.#registry.registryTable,
          Item: { kind: SUBSCRIPTION_KINDS.own, ...written },
          ...conditionOn(known),
        },
      },
      next.enabled ? await this.#readers.addition(reader, readTypes(written)) : this.#readers.removal(reader),
    ]);
    // When the SDK repeats a write that was applied but not answered, the condition fails.
    return isDone || (await this.get(next.id))?.change_id === change_id ? written : undefined;
  }

  /** @returns false on a conflict */
  async delete(known: Subscription): Promise<boolean> {
    const { table, registryTable } = this.#registry;
    const Key = { kind: SUBSCRIPTION_KINDS.own, id: known.id };
    const isDone = await this.#transact([
      { Delete: { TableName: registryTable, Key, ...conditionOn(known) } },
      this.#readers.removal(readerOf(known)),
    ]);
    if (isDone)
      await table.send(
        new DeleteCommand({ TableName: registryTable, Key: { kind: SUBSCRIPTION_KINDS.health, id: healthId(known) } }),
      );
    return isDone;
  }

  async health(subscription: Subscription): Promise<Health | undefined> {
    const { table, registryTable } = this.#registry;
    const Key = { kind: SUBSCRIPTION_KINDS.health, id: healthId(subscription) };
    const { Item } = await table.send(new GetCommand({ TableName: registryTable, Key, ConsistentRead: true }));
    return Item && healthSchema.parse(Item);
  }

  /** The health of all subscriptions; `of` finds that of one. */
  async allHealth(): Promise<{ readonly of: (subscription: Subscription) => Health | undefined }> {
    const found = new Map<string, Health>();
    for await (const item of registryItems(this.#registry, SUBSCRIPTION_KINDS.health)) {
      const health = healthSchema.parse(item);
      found.set(health.id, health);
    }
    return { of: (subscription) => found.get(healthId(subscription)) };
  }

  /**
   * Writes what became of an attempt: the delivery, unless another process has concluded it, and with it the health.
   * @param note.dropped events that are given up with it
   */
  async noteAttempt(
    subscription: Subscription,
    delivery: Delivery,
    { at, error, dropped = 0 }: { at: string; error?: string | undefined; dropped?: number },
  ): Promise<void> {
    const failed =
      ', failing_since = if_not_exists(failing_since, :at), #error = :error ADD failures :one, dropped :dropped';
    const health: Writes[number] = {
      Update: {
        TableName: this.#registry.registryTable,
        Key: { kind: SUBSCRIPTION_KINDS.health, id: healthId(subscription) },
        UpdateExpression: `SET last_at = :at, last_state = :state${error === undefined ? ' REMOVE failing_since, #error, failures' : failed}`,
        ExpressionAttributeNames: { '#error': 'error' },
        ExpressionAttributeValues: {
          ...{ ':at': at, ':state': delivery.state },
          ...(error !== undefined && { ':error': error, ':one': 1, ':dropped': dropped }),
        },
      },
    };
    const conclusion = { Put: { ...deliveryPut(this.#registry, subscription, delivery), ...IF_OPEN } };
    await this.#transact([conclusion, health]);
  }

  async #transact(writes: Writes): Promise<boolean> {
    try {
      await this.#registry.table.send(new TransactWriteCommand({ TransactItems: writes }));
      return true;
    } catch (error) {
      // Of concurrent writers, one may meet the other's transaction.
      if (isRefused(error)) return false;
      throw error;
    }
  }
}

/** A delivery that is not concluded. */
const IF_OPEN = {
  ConditionExpression: 'attribute_not_exists(id) OR delivery.#state = :pending',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':pending': 'pending' },
};

/** Whether a transaction was refused by a condition. */
function isRefused(error: unknown): boolean {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return reasons.some(({ Code }) => Code === 'ConditionalCheckFailed');
}

function healthId({ id, made }: Subscription): string {
  return `${id}#${made}`;
}

function conditionOn(known: Subscription | undefined) {
  if (known === undefined) return { ConditionExpression: 'attribute_not_exists(id)' };
  return {
    // A later subscription of its name comes to the same version.
    ConditionExpression: '#version = :version AND made = :made',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': known.version, ':made': known.made },
  };
}
