import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { warnNewerSchema } from '../../jobs/lifecycle/newer-schema.ts';
import { deadLettersOf } from '../../platform/aws/dead-letters.ts';

/** The version of messages that this code sends. */
const DELIVERY_VERSION = 1;

const deliverySchema = z.object({
  v: z.literal(DELIVERY_VERSION),
  job: z.string(),
  attempt: z.number(),
  binding: z.string(),
  /** All tries failed. On receipt, it means that an operator redrove the dead letter: the tries start again. */
  given_up: z.boolean().optional(),
});

/** A hint that a signed call may be due. The table decides whether it still is. */
export type Delivery = z.output<typeof deliverySchema>;

/** SQS hides a message for at most 12 hours after it was received. */
const MAX_VISIBILITY_SECONDS = 12 * 3600 - 60;

/** The queue of signed calls. */
export class DeliveryQueue {
  readonly #client: SQSClient;
  readonly #url: string;

  constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  async send(delivery: Omit<Delivery, 'v' | 'given_up'>): Promise<void> {
    await this.#put(this.#url, { v: DELIVERY_VERSION, ...delivery });
  }

  /** Makes a received message visible again after `seconds`. */
  async postpone(handle: string, seconds: number): Promise<void> {
    await this.#client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: this.#url,
        ReceiptHandle: handle,
        VisibilityTimeout: Math.min(MAX_VISIBILITY_SECONDS, Math.max(0, Math.ceil(seconds))),
      }),
    );
  }

  /** Puts a call that failed permanently into the dead letters, for an operator. */
  async moveToDeadLetters(delivery: Delivery): Promise<void> {
    await this.#put(await deadLettersOf(this.#client, this.#url), { ...delivery, given_up: true });
  }

  async #put(url: string | undefined, delivery: Delivery): Promise<void> {
    await this.#client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(delivery) }));
  }
}

/** @returns undefined if it is not a message of this queue, or has a newer version. */
export function parseDelivery(body: string): Delivery | undefined {
  return deliverySchema.safeParse(parseJson(body)).data;
}

const versioned = z.object({ v: z.number().gt(DELIVERY_VERSION) });

/** Whether a newer version sent the message. That version's functions can handle it. */
export function isNewerDelivery(body: string): boolean {
  const newer = versioned.safeParse(parseJson(body)).data;
  if (newer !== undefined) warnNewerSchema('signed calls', { schema: newer.v, known: DELIVERY_VERSION });
  return newer !== undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
