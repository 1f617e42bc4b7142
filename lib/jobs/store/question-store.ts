import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Question } from '../lifecycle/job.ts';
import { removeJobRows } from './remove-job-rows.ts';

/** Prefix of the registry kind under which a job's questions are stored. IAM roles name it. */
const KIND = 'questions#';

const questionRowSchema = z.object({
  question: z.string(),
  options: z.array(z.string()).optional(),
  default: z.string().optional(),
  attempt: z.number(),
  /** RFC 3339. */
  asked_at: z.string(),
  due: z.string(),
});
/** The text of a question. Masked. */
export type QuestionRow = z.output<typeof questionRowSchema>;

const answerRowSchema = z.object({ text: z.string(), by: z.string(), at: z.string() });
export type AnswerRow = z.output<typeof answerRowSchema>;

/** A question with the answers that were sent. The job names the one that counts. */
export interface StoredQuestion extends QuestionRow {
  readonly id: string;
  readonly answers: ReadonlyMap<string, AnswerRow>;
}

/** A name for a question. */
export function newQuestionId(): string {
  return `q_${randomBytes(6).toString('hex')}`;
}

/**
 * The texts of questions and answers, in rows of the Registry beside their job. A row is written under a new name before
 * the job refers to it, so that neither of two writers changes what the other one's job refers to.
 */
export class QuestionStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor({ table, registryTable }: Registry) {
    this.#table = table;
    this.#tableName = registryTable;
  }

  async put(jobId: string, id: string, row: QuestionRow): Promise<void> {
    await this.#put(jobId, id, row);
  }

  /** @returns the name of the row */
  async putAnswer(jobId: string, questionId: string, row: AnswerRow): Promise<string> {
    const name = randomBytes(6).toString('hex');
    await this.#put(jobId, `${questionId}#${name}`, row);
    return name;
  }

  /** Replaces the text of the answer that the job refers to, unless it was removed meanwhile. */
  async replaceAnswer(jobId: string, { id, answer }: Pick<Question, 'id' | 'answer'>, row: AnswerRow): Promise<void> {
    const Item = { ...keyOf(jobId, `${id}#${answer}`), ...row };
    try {
      await this.#table.send(
        new PutCommand({ TableName: this.#tableName, Item, ConditionExpression: 'attribute_exists(id)' }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  /** A question and the answer that the job refers to, as of the last acknowledged write. */
  async read(
    jobId: string,
    { id, answer }: Pick<Question, 'id' | 'answer'>,
  ): Promise<{ readonly row: QuestionRow; readonly answer: AnswerRow | undefined } | undefined> {
    const row = await this.#get(jobId, id);
    if (row === undefined) return undefined;
    const answerRow = answer === undefined ? undefined : await this.#get(jobId, `${id}#${answer}`);
    return { row: questionRowSchema.parse(row), answer: answerRow && answerRowSchema.parse(answerRow) };
  }

  /** All questions of a job, in no order. */
  async list(jobId: string): Promise<StoredQuestion[]> {
    const rows: { id: string; row: QuestionRow }[] = [];
    const answers = new Map<string, Map<string, AnswerRow>>();
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': `${KIND}${jobId}` },
      ConsistentRead: true,
    });
    for await (const item of items) {
      const [id = '', answer] = String(item.id)
        .slice(jobId.length + 1)
        .split('#');
      if (answer === undefined) rows.push({ id, row: questionRowSchema.parse(item) });
      else answers.set(id, (answers.get(id) ?? new Map()).set(answer, answerRowSchema.parse(item)));
    }
    return rows.map(({ id, row }) => ({ ...row, id, answers: answers.get(id) ?? new Map() }));
  }

  async removeAll(jobId: string): Promise<void> {
    await removeJobRows(this.#table, this.#tableName, { kind: `${KIND}${jobId}`, jobId });
  }

  /** Deletes the questions of the attempts up to one, with their answers. */
  async removeUpTo(jobId: string, attempt: number): Promise<void> {
    for (const { id, attempt: asked, answers } of await this.list(jobId)) {
      if (asked > attempt) continue;
      // The question goes last: answers without one are not listed.
      for (const name of [...[...answers.keys()].map((answer) => `${id}#${answer}`), id])
        await this.#table.send(new DeleteCommand({ TableName: this.#tableName, Key: keyOf(jobId, name) }));
    }
  }

  async #put(jobId: string, id: string, row: QuestionRow | AnswerRow): Promise<void> {
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item: { ...keyOf(jobId, id), ...row } }));
  }

  async #get(jobId: string, id: string): Promise<Record<string, unknown> | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: keyOf(jobId, id), ConsistentRead: true }),
    );
    return Item;
  }
}

function keyOf(jobId: string, id: string): { kind: string; id: string } {
  return { kind: `${KIND}${jobId}`, id: `${jobId}#${id}` };
}
