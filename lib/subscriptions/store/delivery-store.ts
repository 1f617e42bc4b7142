import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import type { DeliveryView } from '../../contract/schemas/subscription.ts';
import { SUBSCRIPTION_KINDS } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Subscription } from './subscription.ts';

const { deliveries: LISTED, deliveryDays } = LIMITS.subscriptions;

/** A delivery: what was sent to a receiver, or is to be. */
export const deliverySchema = z.object({
  /** The id of the event, or of the last one of a digest, with a letter for what is no event: `deliveryIdOf`. */
  id: z.string(),
  kind: z.enum(['event', 'change', 'digest', 'test']),
  events: z.array(z.looseObject({ id: z.string(), type: z.string(), time: z.string() })),
  state: z.enum(['pending', 'delivered', 'failed', 'dropped']),
  attempts: z.number(),
  status: z.number().optional(),
  error: z.string().optional(),
  created_at: z.string(),
  last_attempt_at: z.string().optional(),
  next_attempt_at: z.string().optional(),
});
export type Delivery = z.output<typeof deliverySchema>;

const DELIVERY_ID = /^(\d{1,12})-(\d{1,4})([a-z][0-9a-f]*)?$/;

/** Deliveries in the order of the feed, the newest read first. They expire. */
export class DeliveryStore {
  readonly #registry: Registry;

  constructor(options: Registry) {
    this.#registry = options;
  }

  /** @param id any text that a client sends */
  async get(subscription: Subscription, id: string): Promise<Delivery | undefined> {
    const key = keyOf(subscription, id);
    if (key === undefined) return undefined;
    const { table, registryTable } = this.#registry;
    const { Item } = await table.send(new GetCommand({ TableName: registryTable, Key: key, ConsistentRead: true }));
    return Item && deliverySchema.parse(Item.delivery);
  }

  async put(subscription: Subscription, delivery: Delivery): Promise<void> {
    await this.#registry.table.send(new PutCommand(deliveryPut(this.#registry, subscription, delivery)));
  }

  async list(subscription: Subscription): Promise<Delivery[]> {
    const { table, registryTable } = this.#registry;
    const found: Delivery[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await table.send(
        new QueryCommand({
          TableName: registryTable,
          KeyConditionExpression: 'kind = :kind',
          ExpressionAttributeValues: { ':kind': kindOf(subscription) },
          ConsistentRead: true,
          ScanIndexForward: false,
          Limit: LISTED,
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      found.push(...Items.map((item) => deliverySchema.parse(item.delivery)));
      from = LastEvaluatedKey;
    } while (from !== undefined && found.length < LISTED);
    return found.slice(0, LISTED);
  }
}

/** What stores a delivery. */
export function deliveryPut({ registryTable }: Registry, subscription: Subscription, delivery: Delivery) {
  const expires = Math.ceil(Date.parse(delivery.created_at) / 1000) + deliveryDays * 86_400;
  return {
    TableName: registryTable,
    Item: { ...keyOf(subscription, delivery.id), delivery, expires_at_epoch: expires },
  };
}

function kindOf({ id, made }: Subscription): string {
  return `${SUBSCRIPTION_KINDS.deliveries}${id}#${made}`;
}

function keyOf(subscription: Subscription, id: string) {
  const [, packet, taken, more = ''] = DELIVERY_ID.exec(id) ?? [];
  if (packet === undefined || taken === undefined) return undefined;
  return { kind: kindOf(subscription), id: `${packet.padStart(12, '0')}-${taken.padStart(4, '0')}${more}` };
}

/** A delivery as clients see it. */
export function viewDelivery(delivery: Delivery): DeliveryView {
  const { id, kind, state, attempts, created_at } = delivery;
  return {
    ...{ id, kind, state, attempts, created_at },
    events: delivery.events.map((event) => ({
      id: kind === 'test' ? null : event.id,
      type: event.type,
      job_id: typeof event.job_id === 'string' ? event.job_id : null,
      sequence: typeof event.sequence === 'number' ? event.sequence : null,
    })),
    status: delivery.status ?? null,
    error: delivery.error ?? null,
    last_attempt_at: delivery.last_attempt_at ?? null,
    next_attempt_at: delivery.next_attempt_at ?? null,
  };
}
