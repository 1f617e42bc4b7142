import { randomBytes } from 'node:crypto';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { knownOrLater } from '../../contract/later-code.ts';
import { LIMITS } from '../../contract/limits.ts';
import { DELIVERY_OUTCOMES, type Refusal } from '../../contract/schemas/hook.ts';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import type { Registry } from '../../platform/registry.ts';

/*
 * Deliveries in the registry: a partition for each hook with a row for each delivery, whose id begins with the time, a row
 * for each key by which a repeated one is recognized, and a row for each reason why requests were refused. Strangers can
 * cause refusals, so only the last of each reason is kept.
 */

export const deliverySchema = z.object({
  /** Begins with the time. */
  id: z.string(),
  received_at: z.string(),
  type: z.enum(['sent', 'test', 'resent']),
  resent_of: z.string().optional(),
  sender_id: z.string().optional(),
  event: z.string().optional(),
  media_type: z.enum(['json', 'form']),
  /** As it came. */
  body: z.instanceof(Uint8Array),
  outcome: knownOrLater(DELIVERY_OUTCOMES),
  reason: z.string().optional(),
  job_id: z.string().optional(),
});
export type Delivery = z.output<typeof deliverySchema>;

const refusalSchema = z.object({ code: z.string(), at: z.string() });

/** The pass leaves a delivery so long to the function that received it; ms. */
const HEAD_START = 5_000;

const DELIVERY_ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

/** The automation that it is of. `made`: tells it from an earlier one of its name. */
interface Hook {
  readonly id: string;
  readonly made: string;
}
export type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

/** @param at milliseconds since 1970 */
export function newDeliveryId(at: number): string {
  return `${timestamp(at).replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
}

export class DeliveryStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #dueKind: string;

  /** @param dueKind the partition that the minute's pass reads */
  constructor(options: Registry, dueKind: string) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#dueKind = dueKind;
  }

  async get(hook: Hook, id: string): Promise<Delivery | undefined> {
    const Item = DELIVERY_ID.test(id) ? await this.#get(hook, id) : undefined;
    return Item && deliverySchema.parse(Item);
  }

  /** The delivery that had one of these keys first. */
  async firstOf(hook: Hook, keys: readonly string[]): Promise<string | undefined> {
    for (const key of keys) {
      const found = await this.#get(hook, `seen#${key}`);
      if (found !== undefined) return String(found.delivery);
    }
    return undefined;
  }

  /** The newest first. */
  async newest(hook: Hook): Promise<Delivery[]> {
    const items = await this.#query(hook, ['0', ':']);
    return items.map((item) => deliverySchema.parse(item));
  }

  async refusals(hook: Hook): Promise<z.output<typeof refusalSchema>[]> {
    const items = await this.#query(hook, ['refused#', 'refused$']);
    return items.map((item) => refusalSchema.parse(item));
  }

  async noteRefusal(hook: Hook, code: Refusal, at: number): Promise<void> {
    const Item = { ...keyOf(hook, `refused#${code}`), code, at: timestamp(at), ...expiry(at) };
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item }));
  }

  /** What stores a new delivery, unless one of its keys is known. One that is `accepted` is still to be evaluated. */
  adding(hook: Hook, delivery: Delivery, keys: readonly string[]): Writes {
    const at = Date.parse(delivery.received_at);
    const due = { ...this.#dueKey(hook, delivery), automation: hook.id, delivery: delivery.id };
    const seen = keys.map((key) => ({ ...keyOf(hook, `seen#${key}`), delivery: delivery.id, ...expiry(at) }));
    const put = (Item: object) => ({ Put: { TableName: this.#tableName, Item: { ...Item } } });
    return [
      put({ ...keyOf(hook, delivery.id), ...delivery, ...expiry(at) }),
      ...(delivery.outcome === 'accepted' ? [put(due)] : []),
      ...seen.map((Item) => ({
        Put: { TableName: this.#tableName, Item, ConditionExpression: 'attribute_not_exists(id)' },
      })),
    ];
  }

  /** What records the outcome of a delivery that had none. */
  settling(hook: Hook, delivery: Delivery): Writes {
    const at = Date.parse(delivery.received_at);
    return [
      {
        Put: {
          TableName: this.#tableName,
          Item: { ...keyOf(hook, delivery.id), ...delivery, ...expiry(at) },
          ConditionExpression: 'outcome = :accepted',
          ExpressionAttributeValues: { ':accepted': 'accepted' },
        },
      },
      { Delete: { TableName: this.#tableName, Key: this.#dueKey(hook, delivery) } },
    ];
  }

  /** What records that the job of a delivery could not be created. */
  failing(hook: Hook, delivery: Delivery): Writes {
    const Item = { ...keyOf(hook, delivery.id), ...delivery, ...expiry(Date.parse(delivery.received_at)) };
    return [{ Put: { TableName: this.#tableName, Item } }];
  }

  #dueKey({ id }: Hook, delivery: Delivery) {
    const at = timestamp(Date.parse(delivery.received_at) + HEAD_START);
    return { kind: this.#dueKind, id: `${at}#${id}#${delivery.id}` };
  }

  async #get(hook: Hook, id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: keyOf(hook, id), ConsistentRead: true }),
    );
    return Item;
  }

  async #query(hook: Hook, [from, to]: readonly [string, string]): Promise<Record<string, unknown>[]> {
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind AND #id BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#id': 'id' },
      ExpressionAttributeValues: { ':kind': keyOf(hook, '').kind, ':from': from, ':to': to },
      ScanIndexForward: false,
      Limit: LIMITS.hooks.listed,
    });
    const found: Record<string, unknown>[] = [];
    for await (const item of items) if (found.push(item) === LIMITS.hooks.listed) break;
    return found;
  }
}

function keyOf({ id, made }: Hook, row: string) {
  return { kind: `automation-deliveries#${id}#${made}`, id: row };
}

function expiry(at: number) {
  return { expires_at_epoch: Math.ceil(at / 1000) + LIMITS.hooks.days * 86_400 };
}
