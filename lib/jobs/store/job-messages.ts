import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { knownOrLater } from '../../contract/later-code.ts';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import type { Registry } from '../../platform/registry.ts';

/**
 * `sent`: an attempt gives it to its agent, or was about to. It has reached the session only when it is `delivered`.
 */
const MESSAGE_STATES = ['pending', 'sent', 'delivered', 'not_delivered'] as const;

const messageRowSchema = z.object({
  id: z.string(),
  /** Position among the job's messages, from 1. */
  number: z.number(),
  text: z.string(),
  state: knownOrLater(MESSAGE_STATES),
  created_at: z.string(),
  created_by: z.string(),
  /** The attempt that gives, or gave, it to its agent. */
  attempt: z.number().optional(),
  delivered_at: z.string().optional(),
  /** Why it is not delivered. */
  reason: z.string().optional(),
  /** Whether it never becomes the prompt of another job. */
  only_now: z.boolean().optional(),
  /** The job whose prompt it becomes. */
  next_job_id: z.string().optional(),
});

/** A message to a job, as stored. */
export type MessageRow = z.output<typeof messageRowSchema>;

/** The messages of jobs: one partition of the Registry for each job that has any. */
export class JobMessageStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #registryTable: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#registryTable = options.registryTable;
  }

  /** All messages of a job in the order in which they were accepted, as of the last acknowledged write. */
  async list(jobId: string): Promise<readonly MessageRow[]> {
    const rows: MessageRow[] = [];
    for await (const item of this.#items(jobId)) rows.push(messageRowSchema.parse(item));
    return rows.toSorted((a, b) => a.number - b.number);
  }

  async get(jobId: string, id: string): Promise<MessageRow | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#registryTable, Key: { kind: kindOf(jobId), id }, ConsistentRead: true }),
    );
    return Item && messageRowSchema.parse(Item);
  }

  /** The write of a new message, for the transaction that accepts it. */
  creation(jobId: string, row: MessageRow) {
    return {
      TableName: this.#registryTable,
      Item: { kind: kindOf(jobId), ...row },
      ConditionExpression: 'attribute_not_exists(id)',
    };
  }

  /**
   * Replaces a message if no other process has changed it since it was read.
   * @returns the message as it is now; undefined: another process was faster
   */
  async change(jobId: string, known: MessageRow, changes: Partial<MessageRow>): Promise<MessageRow | undefined> {
    const row = { ...known, ...changes };
    const values = { ':state': known.state, ...(known.attempt !== undefined && { ':attempt': known.attempt }) };
    const attempt = known.attempt === undefined ? 'attribute_not_exists(attempt)' : 'attempt = :attempt';
    try {
      await this.#table.send(
        new PutCommand({
          TableName: this.#registryTable,
          Item: { kind: kindOf(jobId), ...row },
          ConditionExpression: `#state = :state AND ${attempt}`,
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: values,
        }),
      );
      return row;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // When the SDK repeats a write that was applied but not answered, the condition fails.
      return isDeepStrictEqual(await this.get(jobId, row.id), row) ? row : undefined;
    }
  }

  async removeAll(jobId: string): Promise<void> {
    const kind = kindOf(jobId);
    for await (const { id } of this.#items(jobId))
      await this.#table.send(new DeleteCommand({ TableName: this.#registryTable, Key: { kind, id } }));
  }

  #items(jobId: string): AsyncGenerator<Record<string, unknown>> {
    return queriedItems(this.#table, {
      TableName: this.#registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': kindOf(jobId) },
      ConsistentRead: true,
    });
  }
}

function kindOf(jobId: string): string {
  return `message#${jobId}`;
}
