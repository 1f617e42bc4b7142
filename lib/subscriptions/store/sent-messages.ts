import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import { SUBSCRIPTION_KINDS } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';

const KIND = SUBSCRIPTION_KINDS.messages;

const DAY_MS = 86_400_000;
/** Milliseconds. A message outlives the longest deadline, so that it can still say what became of its question. */
const KEPT_MS = LIMITS.questions.deadlineSeconds.max * 1000 + DAY_MS;
/** Milliseconds in which a messenger repeats what it does not know to have arrived. */
const REPEATED_MS = 2 * DAY_MS;

const messageSchema = z.object({
  key: z.string(),
  job: z.string().optional(),
  chat: z.string(),
  message: z.string(),
});

/** A message that was sent to people. */
interface SentMessage {
  readonly subscriptionId: string;
  /** The key of its notice, such as `question:ID`. */
  readonly key: string;
  readonly job?: string | undefined;
  /** The id of the chat or channel. */
  readonly chat: string;
  /** The messenger's id of the message in that chat. */
  readonly message: string;
}

/**
 * Which message is about what, found from both sides: a reply names the message, and what becomes of its subject changes
 * it. And which of a messenger's requests were handled. Nothing here holds a text, and all of it expires.
 */
export class SentMessageStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Pick<Clock, 'now'>;

  constructor({ table, registryTable, clock }: Registry & { readonly clock: Pick<Clock, 'now'> }) {
    this.#table = table;
    this.#tableName = registryTable;
    this.#clock = clock;
  }

  async put({ subscriptionId, ...sent }: SentMessage): Promise<void> {
    for (const id of [ofMessage(sent.chat, sent.message), ofKey(sent.key)])
      await this.#put({ kind: `${KIND}${subscriptionId}`, id, ...sent }, KEPT_MS);
  }

  async byMessage(subscriptionId: string, chat: string, message: string): Promise<SentMessage | undefined> {
    return await this.#message(subscriptionId, ofMessage(chat, message));
  }

  /** The last message about a subject. */
  async byKey(subscriptionId: string, key: string): Promise<SentMessage | undefined> {
    return await this.#message(subscriptionId, ofKey(key));
  }

  /** Notes that a request was handled. @param request such as `telegram#BOT#UPDATE` */
  async noteHandled(request: string): Promise<void> {
    await this.#put({ kind: `${KIND}handled`, id: request }, REPEATED_MS);
  }

  async isHandled(request: string): Promise<boolean> {
    return (await this.#get(`${KIND}handled`, request)) !== undefined;
  }

  async #put(item: Readonly<Record<string, unknown>>, keptMs: number): Promise<void> {
    const expires = { expires_at_epoch: Math.floor((this.#clock.now() + keptMs) / 1000) };
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item: { ...item, ...expires } }));
  }

  async #message(subscriptionId: string, id: string): Promise<SentMessage | undefined> {
    const item = await this.#get(`${KIND}${subscriptionId}`, id);
    return item && { subscriptionId, ...messageSchema.parse(item) };
  }

  async #get(kind: string, id: string): Promise<Record<string, unknown> | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind, id }, ConsistentRead: true }),
    );
    return Item;
  }
}

function ofMessage(chat: string, message: string): string {
  return `message#${chat}#${message}`;
}

function ofKey(key: string): string {
  return `key#${key}`;
}
