import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../platform/aws/table-clock.ts';
import { SIGNAL_KIND } from '../platform/aws/tables.ts';
import type { Registry } from '../platform/registry.ts';

/*
 * How the API reaches a worker that nothing can connect to. A worker has one item with a number for each job that others
 * have changed while it ran: they raise it after their change, and the worker, which reads the item every 2 s whatever it
 * runs, then reads the job. A signal is a hint. One that is lost costs time, not truth: the heartbeat brings the job
 * every 10 s.
 */

/** After so many seconds without a signal the item may be removed: no job runs as long without one that matters. */
const KEPT_SECONDS = 7 * 86_400;

/** The signals of all workers. */
export class WorkerSignals {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor({ table, registryTable, clock }: Registry & { readonly clock: Clock }) {
    this.#table = table;
    this.#tableName = registryTable;
    this.#clock = clock;
  }

  /** Tells a worker that something it holds has changed. @param name of what: the id of a job */
  async raise(workerId: string, name: string): Promise<void> {
    await this.#table.send(
      new UpdateCommand({
        TableName: this.#tableName,
        Key: { kind: SIGNAL_KIND, id: workerId },
        UpdateExpression: 'SET expires_at_epoch = :expires ADD #name :one',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':one': 1, ':expires': Math.ceil(this.#clock.now() / 1000) + KEPT_SECONDS },
      }),
    );
  }

  /** What was raised for a worker: names with numbers that only grow. */
  async read(workerId: string): Promise<ReadonlyMap<string, number>> {
    const { Item = {} } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: SIGNAL_KIND, id: workerId }, ConsistentRead: true }),
    );
    return new Map(Object.entries(Item).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])));
  }

  /** Forgets what the worker no longer holds, unless it was raised again. */
  async forget(workerId: string, name: string, number: number): Promise<void> {
    const remove = new UpdateCommand({
      TableName: this.#tableName,
      Key: { kind: SIGNAL_KIND, id: workerId },
      UpdateExpression: 'REMOVE #name',
      ConditionExpression: '#name = :number',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':number': number },
    });
    await this.#table.send(remove).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  }
}
