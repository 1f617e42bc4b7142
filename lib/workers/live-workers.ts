import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { knownOrLater } from '../contract/later-code.ts';
import { queriedItems } from '../platform/aws/queried-items.ts';
import { reportDamaged } from '../platform/aws/skip-damaged.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { Registry } from '../platform/registry.ts';

const KIND = 'worker';

/** A worker that has not registered for this long (ms) counts as gone. */
const SILENT_AFTER_MS = 45_000;

/** How often (ms) a worker registers. */
export const REGISTER_INTERVAL_MS = 15_000;

const space = z.object({ total_bytes: z.number(), free_bytes: z.number() });

/** The machine that a worker runs on. */
const machineSchema = z.object({
  cpus: z.number(),
  /** Load average of the last minute. */
  load_1m: z.number(),
  architecture: z.string(),
  platform: z.string(),
  node_version: z.string(),
  memory: space,
  storage: space.optional(),
});
export type Machine = z.output<typeof machineSchema>;

const workerSchema = z.object({
  id: z.string(),
  host: z.string(),
  version: z.string(),
  concurrency: z.number(),
  running: z.array(z.string()),
  started_at: z.string(),
  seen_at: z.string(),
  /** Id of its ECS task; absent if it is none. */
  task: z.string().optional(),
  /** Its task definition, `family:revision`. */
  build: z.string().optional(),
  /**
   * Why it takes no more jobs: it has long been idle, it is outdated or unfit for more (and exits when its jobs have
   * ended), or it is being stopped (and hands its jobs back soon).
   */
  leaving: knownOrLater(['idle', 'outdated', 'retired', 'stopped']).optional(),
  /** When it exited. */
  left_at: z.string().optional(),
  /** Versions of the agents' CLIs, as far as they are known. */
  agents: z.record(z.string(), z.string()).optional(),
  /** Absent: the machine doesn't report it. */
  machine: machineSchema.optional(),
});
export type WorkerInfo = z.output<typeof workerSchema>;

/** Workers that registered recently. */
export class LiveWorkers {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(options: Registry & { clock: Clock }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
  }

  async list(): Promise<WorkerInfo[]> {
    return this.living(await this.recent({ consistent: false }));
  }

  /**
   * Live workers, and those that exited in the last minutes or have not registered for a while. Expiry is checked here,
   * because DynamoDB may keep an expired item for days.
   */
  async recent(options: { consistent: boolean } = { consistent: true }): Promise<WorkerInfo[]> {
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': KIND },
      ConsistentRead: options.consistent,
    });
    const workers: WorkerInfo[] = [];
    for await (const item of items) {
      if (this.#isExpired(item)) continue;
      const { data, error } = workerSchema.safeParse(item);
      if (data === undefined) reportDamaged(`worker ${String(item.id)}`, error);
      else workers.push(data);
    }
    return workers;
  }

  /** Those of the given workers that are live, as far as is known. */
  living(workers: readonly WorkerInfo[]): WorkerInfo[] {
    const since = timestamp(this.#clock.now() - SILENT_AFTER_MS);
    return workers.filter((worker) => worker.seen_at >= since && worker.left_at === undefined);
  }

  async count(): Promise<number> {
    return (await this.list()).length;
  }

  /**
   * Registers a live worker and its activity. The item expires unless it is renewed.
   * @returns whether the worker counts as live until it registers twice more. A write that is tried again arrives with
   *   the time at which it was first sent, and says of a worker that it is silent if that is long ago.
   */
  async register(worker: Omit<WorkerInfo, 'seen_at' | 'left_at'>): Promise<boolean> {
    const seenAt = await this.#put(worker);
    return this.#clock.now() - seenAt <= SILENT_AFTER_MS - 2 * REGISTER_INTERVAL_MS;
  }

  /**
   * Records that a worker has exited. Its item stays for some minutes: scaling need not wait for a task
   * that has registered.
   */
  async deregister(worker: Omit<WorkerInfo, 'seen_at' | 'left_at'>): Promise<void> {
    await this.#put({ ...worker, running: [], left_at: timestamp(this.#clock.now()) });
  }

  #isExpired({ expires_at_epoch: expiry }: Record<string, unknown>): boolean {
    return typeof expiry === 'number' && expiry * 1000 <= this.#clock.now();
  }

  /** @returns the time that was written, milliseconds since 1970 */
  async #put(worker: Omit<WorkerInfo, 'seen_at'>): Promise<number> {
    const now = this.#clock.now();
    const Item = {
      kind: KIND,
      ...worker,
      seen_at: timestamp(now),
      expires_at_epoch: Math.ceil((now + 10 * SILENT_AFTER_MS) / 1000),
    };
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item }));
    return now;
  }
}
