import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { deadLettersOf } from '../../platform/aws/dead-letters.ts';
import { REQUEST_TIMEOUT_MS } from '../../platform/aws/request-limits.ts';
import { BANDS, type Band } from '../../platform/aws/tables.ts';
import { bandOf, type Job } from '../lifecycle/job.ts';
import { DISPATCH_MESSAGE_VERSION, warnNewerSchema } from '../lifecycle/newer-schema.ts';

/** A hint that a job of a band and project may be ready. Messages may be lost, repeated or late without harm. */
const dispatchMessageSchema = z.object({
  v: z.literal(DISPATCH_MESSAGE_VERSION),
  band: z.enum(BANDS),
  project: z.string(),
  job: z.string(),
});
type DispatchMessage = z.output<typeof dispatchMessageSchema>;

/** A dispatch message that a worker has received. */
export interface ReceivedMessage {
  readonly message: DispatchMessage;
  readonly handle: string;
  /** How often it was received, this time included. */
  readonly receives: number;
  /** When it was sent, ms since 1970 by the queue's clock; absent if the queue doesn't report it. */
  readonly sentAt?: number;
}

/** SQS delays a message for at most 15 minutes. */
const MAX_DELAY_SECONDS = 900;

/** SQS keeps a message invisible for at most 12 hours. */
const MAX_VISIBILITY_SECONDS = 12 * 3600;

/** SQS receives and deletes at most so many messages in one request. */
export const MAX_BATCH = 10;

/** How many batches of how many messages one call redrives from a dead-letter queue. */
const REDRIVE = { batches: 50, messages: 10 } as const;

/** The URLs of the three queues in a process's environment. */
export function queueUrls(
  env: Readonly<Record<`QUEUE_URL_${Uppercase<Band>}`, string>>,
): Readonly<Record<Band, string>> {
  return { high: env.QUEUE_URL_HIGH, normal: env.QUEUE_URL_NORMAL, low: env.QUEUE_URL_LOW };
}

/** The three queues of dispatch messages, one per band. */
export class DispatchQueues {
  readonly #client: SQSClient;
  readonly #urls: Readonly<Record<Band, string>>;
  readonly #deadLetters = new Map<Band, string>();

  constructor(client: SQSClient, urls: Readonly<Record<Band, string>>) {
    this.#client = client;
    this.#urls = urls;
  }

  /** Sends a job's message: after the job's creation, before any later write that makes it ready. */
  async send(job: Pick<Job, 'id' | 'project_id' | 'priority'>, options: { delaySeconds?: number } = {}): Promise<void> {
    const band = bandOf(job);
    const message = { v: DISPATCH_MESSAGE_VERSION, band, project: job.project_id, job: job.id } as const;
    await this.#put(message, options.delaySeconds ?? 0);
  }

  async #put(message: DispatchMessage, delaySeconds: number): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#urls[message.band],
        MessageBody: JSON.stringify(message),
        MessageGroupId: message.project,
        DelaySeconds: Math.min(MAX_DELAY_SECONDS, Math.ceil(delaySeconds)),
      }),
    );
  }

  /** Receives at most one dispatch message of a band, as `receiveUpTo` does. */
  async receive(band: Band, waitSeconds: number): Promise<ReceivedMessage | undefined> {
    return (await this.receiveUpTo(band, { most: 1, waitSeconds }))[0];
  }

  /**
   * Receives dispatch messages of a band, at most `most` (up to 10), waiting up to `waitSeconds` (0 to 20) for the
   * first. Deletes a message that is malformed. One of a newer version stays in the queue, for workers of that version.
   */
  async receiveUpTo(
    band: Band,
    { most, waitSeconds }: { readonly most: number; readonly waitSeconds: number },
  ): Promise<ReceivedMessage[]> {
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#urls[band],
        MaxNumberOfMessages: Math.min(most, MAX_BATCH),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
      }),
      { requestTimeout: waitSeconds * 1000 + REQUEST_TIMEOUT_MS },
    );
    const received: ReceivedMessage[] = [];
    for (const sqsMessage of Messages) {
      const message = parse(sqsMessage);
      const handle = sqsMessage.ReceiptHandle;
      if (handle === undefined || message === 'newer') continue;
      if (message === undefined) await this.#delete(band, handle);
      else received.push({ message, handle, ...deliveryOf(sqsMessage) });
    }
    return received;
  }

  /** Keeps a message invisible for the given seconds, while its job runs. */
  async extend(received: ReceivedMessage, seconds: number): Promise<void> {
    await this.#setVisibility(received, seconds);
  }

  /** Returns a message to its queue, to be delivered again after the given seconds. */
  async retryLater(received: ReceivedMessage, seconds: number): Promise<void> {
    await this.#setVisibility(received, seconds);
  }

  /** Returns a message to its queue for immediate delivery to another worker. */
  async release(received: ReceivedMessage): Promise<void> {
    await this.#setVisibility(received, 0);
  }

  async #setVisibility({ message, handle }: ReceivedMessage, seconds: number): Promise<void> {
    await this.#client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: this.#urls[message.band],
        ReceiptHandle: handle,
        VisibilityTimeout: Math.min(MAX_VISIBILITY_SECONDS, Math.ceil(seconds)),
      }),
    );
  }

  /**
   * Redrives the dead-letter queues: a message that was received too often may still point to a ready job.
   * @returns how many were redriven; at most some hundreds a call
   */
  async redriveDeadLetters(): Promise<number> {
    const counts = await Promise.all(BANDS.map((band) => this.#redriveBand(band)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #redriveBand(band: Band): Promise<number> {
    const deadLetters = await this.#deadLettersOf(band);
    let count = 0;
    for (let batch = 0; batch < REDRIVE.batches; batch += 1) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({ QueueUrl: deadLetters, MaxNumberOfMessages: REDRIVE.messages }),
      );
      if (Messages.length === 0) break;
      for (const sqsMessage of Messages) {
        const message = parse(sqsMessage);
        if (message === 'newer') continue;
        // Sent before it is deleted: a duplicate is harmless, a loss is not. A malformed message is deleted.
        if (message !== undefined) await this.#put(message, 0);
        const { ReceiptHandle } = sqsMessage;
        await this.#client.send(new DeleteMessageCommand({ QueueUrl: deadLetters, ReceiptHandle }));
        count += 1;
      }
    }
    return count;
  }

  /** Cached: it is needed every minute, and never changes. */
  async #deadLettersOf(band: Band): Promise<string | undefined> {
    const url = this.#deadLetters.get(band) ?? (await deadLettersOf(this.#client, this.#urls[band]));
    if (url !== undefined) this.#deadLetters.set(band, url);
    return url;
  }

  /** Checks that every queue answers. @throws the queue service's error if one does not. */
  async check(): Promise<void> {
    await Promise.all(
      BANDS.map((band) =>
        this.#client.send(new GetQueueAttributesCommand({ QueueUrl: this.#urls[band], AttributeNames: ['QueueArn'] })),
      ),
    );
  }

  /** Deletes a message that was handled. */
  async acknowledge(received: ReceivedMessage): Promise<void> {
    await this.#delete(received.message.band, received.handle);
  }

  /**
   * Deletes messages of one band that were handled, at most `MAX_BATCH`.
   * @throws Error if one could not be deleted: it is delivered again
   */
  async acknowledgeAll(band: Band, received: readonly ReceivedMessage[]): Promise<void> {
    const [only, ...others] = received;
    if (only === undefined) return;
    if (others.length === 0) return await this.#delete(band, only.handle);
    const { Failed = [] } = await this.#client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: this.#urls[band],
        Entries: received.map(({ handle }, at) => ({ Id: String(at), ReceiptHandle: handle })),
      }),
    );
    if (Failed[0] !== undefined) throw new Error(`${Failed.length} messages not deleted: ${Failed[0].Message}`);
  }

  async #delete(band: Band, handle: string): Promise<void> {
    await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.#urls[band], ReceiptHandle: handle }));
  }
}

const versioned = z.object({ v: z.number().gt(DISPATCH_MESSAGE_VERSION) });

function deliveryOf({ Attributes = {} }: Message): Pick<ReceivedMessage, 'receives' | 'sentAt'> {
  const { ApproximateReceiveCount: receives = 1, SentTimestamp: sentAt } = Attributes;
  return { receives: Number(receives), ...(sentAt !== undefined && { sentAt: Number(sentAt) }) };
}

function parse(sqsMessage: Message): DispatchMessage | 'newer' | undefined {
  const body = parseJson(sqsMessage.Body ?? '');
  const { success, data } = dispatchMessageSchema.safeParse(body);
  if (success) return data;
  const newer = versioned.safeParse(body);
  if (!newer.success) return undefined;
  warnNewerSchema(`permit ${sqsMessage.MessageId}`, { schema: newer.data.v, known: DISPATCH_MESSAGE_VERSION });
  return 'newer';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
