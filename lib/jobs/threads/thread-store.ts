import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import type { Registry } from '../../platform/registry.ts';

const rowSchema = z.object({ id: z.string(), job_id: z.string() });
const forkSchema = z.object({ id: z.string() });

/** A turn of a thread. */
export interface Turn {
  /** From 1. */
  readonly turn: number;
  readonly jobId: string;
}

/** The turns of threads: which job has which. The first one has no row, since a thread is named after its job. */
export class ThreadStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #registryTable: string;

  constructor({ table, registryTable }: Registry) {
    this.#table = table;
    this.#registryTable = registryTable;
  }

  /** All turns, in their order, as of the last acknowledged write. */
  async turns(threadId: string): Promise<Turn[]> {
    const rows = queriedItems(this.#table, {
      TableName: this.#registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': kindOf(threadId) },
      ConsistentRead: true,
    });
    const turns: Turn[] = [{ turn: 1, jobId: threadId }];
    for await (const row of rows) {
      const { id, job_id } = rowSchema.parse(row);
      turns.push({ turn: Number(id), jobId: job_id });
    }
    return turns;
  }

  /** Records a job's turn. @returns false if another job has it */
  async put(threadId: string, { turn, jobId }: Turn): Promise<boolean> {
    const Item = { kind: kindOf(threadId), id: String(turn).padStart(TURN_DIGITS, '0'), job_id: jobId };
    try {
      await this.#table.send(
        new PutCommand({ TableName: this.#registryTable, Item, ConditionExpression: 'attribute_not_exists(id)' }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /** The forks for which the turns of a thread may have to wait, as of the last acknowledged write. */
  async forks(threadId: string): Promise<string[]> {
    const rows = queriedItems(this.#table, {
      TableName: this.#registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': forksOf(threadId) },
      ConsistentRead: true,
    });
    const ids: string[] = [];
    for await (const row of rows) ids.push(forkSchema.parse(row).id);
    return ids;
  }

  /** Records a fork of a thread. */
  async putFork(threadId: string, id: string): Promise<void> {
    await this.#table.send(new PutCommand({ TableName: this.#registryTable, Item: { kind: forksOf(threadId), id } }));
  }

  /** Removes the record of a fork. */
  async removeFork(threadId: string, id: string): Promise<void> {
    const Key = { kind: forksOf(threadId), id };
    await this.#table.send(new DeleteCommand({ TableName: this.#registryTable, Key }));
  }

  /** Removes the record of a turn, with its job. */
  async remove(threadId: string, turn: number): Promise<void> {
    const Key = { kind: kindOf(threadId), id: String(turn).padStart(TURN_DIGITS, '0') };
    await this.#table.send(new DeleteCommand({ TableName: this.#registryTable, Key }));
  }
}

const TURN_DIGITS = 8;

function forksOf(threadId: string): string {
  return `forks#${threadId}`;
}

function kindOf(threadId: string): string {
  return `thread#${threadId}`;
}
