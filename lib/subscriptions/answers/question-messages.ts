import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import type { Registry } from '../../platform/registry.ts';

/** Prefix of the registry kind under which the messages of a subscription are stored. */
const KIND = 'question-messages#';

const DAY_MS = 86_400_000;
/** Milliseconds. A message outlives the longest deadline, so that it can still say what became of its question. */
const KEPT_MS = LIMITS.questions.deadlineSeconds.max * 1000 + DAY_MS;

const messageSchema = z.object({ job: z.string(), question: z.string(), chat: z.string(), message: z.string() });

/** A message that asks people a question. */
export interface QuestionMessage {
  readonly subscriptionId: string;
  readonly jobId: string;
  readonly questionId: string;
  /** The id of the chat or channel. */
  readonly chat: string;
  /** The messenger's id of the message in that chat. */
  readonly message: string;
}

/**
 * Which message asks which question, found from both sides: a reply names the message, and what becomes of a question
 * changes it. They hold no text, and expire.
 */
export class QuestionMessageStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Pick<Clock, 'now'>;

  constructor({ table, registryTable, clock }: Registry & { readonly clock: Pick<Clock, 'now'> }) {
    this.#table = table;
    this.#tableName = registryTable;
    this.#clock = clock;
  }

  async put(message: QuestionMessage): Promise<void> {
    const { subscriptionId, jobId: job, questionId: question, chat, message: id } = message;
    const expires = { expires_at_epoch: Math.floor((this.#clock.now() + KEPT_MS) / 1000) };
    for (const key of [ofMessage(chat, id), ofQuestion(job, question)])
      await this.#table.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: { kind: `${KIND}${subscriptionId}`, id: key, job, question, chat, message: id, ...expires },
        }),
      );
  }

  /** The question that a message asks. */
  async byMessage(subscriptionId: string, chat: string, message: string): Promise<QuestionMessage | undefined> {
    return await this.#get(subscriptionId, ofMessage(chat, message));
  }

  /** The last message that asks a question. */
  async byQuestion(subscriptionId: string, jobId: string, questionId: string): Promise<QuestionMessage | undefined> {
    return await this.#get(subscriptionId, ofQuestion(jobId, questionId));
  }

  async #get(subscriptionId: string, id: string): Promise<QuestionMessage | undefined> {
    const Key = { kind: `${KIND}${subscriptionId}`, id };
    const { Item } = await this.#table.send(new GetCommand({ TableName: this.#tableName, Key, ConsistentRead: true }));
    if (Item === undefined) return undefined;
    const { job, question, ...where } = messageSchema.parse(Item);
    return { subscriptionId, jobId: job, questionId: question, ...where };
  }
}

function ofMessage(chat: string, message: string): string {
  return `message#${chat}#${message}`;
}

function ofQuestion(jobId: string, questionId: string): string {
  return `question#${jobId}#${questionId}`;
}
