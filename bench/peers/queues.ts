import { loadPeer } from './packages.ts';

/** Runs one job: a bash command. */
type RunCommand = (command: string) => Promise<void>;

/** A queue of another project, as its documentation says to use it. */
export interface PeerQueue {
  add(command: string): Promise<void>;
  /** Starts to run jobs, so many at a time, as soon as they come. */
  work(slots: number, run: RunCommand): Promise<void>;
  close(): Promise<void>;
}

interface Closable {
  close(): Promise<unknown>;
}

interface BullMq {
  readonly Queue: new (
    name: string,
    options: object,
  ) => Closable & { add(name: string, data: object): Promise<unknown> };
  readonly Worker: new (
    name: string,
    run: (job: { data: { command: string } }) => Promise<void>,
    options: object,
  ) => Closable & { waitUntilReady(): Promise<unknown> };
}

export async function bullMq(url: string, name: string): Promise<PeerQueue> {
  const { Queue, Worker } = (await loadPeer('bullmq')) as BullMq;
  const { hostname: host, port } = new URL(url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const queue = new Queue(name, { connection });
  const open: Closable[] = [queue];
  return {
    add: async (command) => void (await queue.add('job', { command })),
    async work(slots, run) {
      const worker = new Worker(name, ({ data }) => run(data.command), { connection, concurrency: slots });
      open.unshift(worker);
      await worker.waitUntilReady();
    },
    close: async () => {
      for (const one of open) await one.close();
    },
  };
}

interface PgBossModule {
  readonly PgBoss: new (
    options: object,
  ) => {
    on(event: 'error', listen: () => void): void;
    start(): Promise<unknown>;
    createQueue(name: string, options?: object): Promise<unknown>;
    send(name: string, data: object): Promise<unknown>;
    work(
      name: string,
      options: object,
      run: (jobs: { data: { command: string } }[]) => Promise<void>,
    ): Promise<unknown>;
    stop(options: object): Promise<unknown>;
  };
}

/** The shortest interval that pg-boss accepts, in seconds. */
const PG_BOSS_POLL = 0.5;

export async function pgBoss(url: string, name: string): Promise<PeerQueue> {
  const { PgBoss } = (await loadPeer('pg-boss')) as PgBossModule;
  const boss = new PgBoss({ connectionString: url });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(name);
  return {
    add: async (command) => void (await boss.send(name, { command })),
    async work(slots, run) {
      const options = { batchSize: slots, pollingIntervalSeconds: PG_BOSS_POLL, burstWhenBatchFull: true };
      await boss.work(name, options, async (jobs) => {
        await Promise.all(jobs.map(({ data }) => run(data.command)));
      });
    },
    close: async () => void (await boss.stop({ graceful: true, close: true })),
  };
}

interface Graphile {
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    addJob(task: string, payload: object): Promise<unknown>;
    release(): Promise<unknown>;
  }>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
  readonly Logger: new (create: () => () => void) => object;
}

export async function graphileWorker(url: string, name: string): Promise<PeerQueue> {
  const { makeWorkerUtils, run: start, Logger } = (await loadPeer('graphile-worker')) as Graphile;
  const shared = { connectionString: url, logger: new Logger(() => () => undefined) };
  const utils = await makeWorkerUtils(shared);
  await utils.migrate();
  let runner: { stop(): Promise<void> } | undefined;
  return {
    add: async (command) => void (await utils.addJob(name, { command })),
    async work(slots, run) {
      const task = async ({ command }: { command: string }) => await run(command);
      const options = { concurrency: slots, maxPoolSize: slots + 2, noHandleSignals: true };
      runner = await start({ ...shared, ...options, taskList: { [name]: task } });
    },
    close: async () => {
      await runner?.stop();
      await utils.release();
    },
  };
}
