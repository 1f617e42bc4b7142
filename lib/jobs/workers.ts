import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Clock } from '../aws/table-clock.ts';
import { timestamp } from '../aws/table-clock.ts';

const KIND = 'worker';

/** A worker that has said nothing for so long (ms) counts as gone. */
const SILENT_AFTER = 45_000;

/** How often (ms) a worker says that it lives. */
export const REGISTER_EVERY = 15_000;

const workerSchema = z.object({
  id: z.string(),
  host: z.string(),
  version: z.string(),
  concurrency: z.number(),
  running: z.array(z.string()),
  started_at: z.string(),
  seen_at: z.string(),
});
export type WorkerInfo = z.output<typeof workerSchema>;

/** Workers that registered and were heard of lately. */
export class LiveWorkers {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(options: { table: DynamoDBDocumentClient; registryTable: string; clock: Clock }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
  }

  async list(): Promise<WorkerInfo[]> {
    const { Items = [] } = await this.#table.send(
      new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'kind = :kind',
        ExpressionAttributeValues: { ':kind': KIND },
      }),
    );
    const since = timestamp(this.#clock.now() - SILENT_AFTER);
    return Items.map((item) => workerSchema.parse(item)).filter((worker) => worker.seen_at >= since);
  }

  async count(): Promise<number> {
    return (await this.list()).length;
  }

  /** Says that a worker lives and what it does. Its item removes itself when nothing follows. */
  async register(worker: Omit<WorkerInfo, 'seen_at'>): Promise<void> {
    const now = this.#clock.now();
    const Item = {
      kind: KIND,
      ...worker,
      seen_at: timestamp(now),
      expires_at_epoch: Math.ceil((now + 10 * SILENT_AFTER) / 1000),
    };
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item }));
  }

  async deregister(id: string): Promise<void> {
    await this.#table.send(new DeleteCommand({ TableName: this.#tableName, Key: { kind: KIND, id } }));
  }
}
