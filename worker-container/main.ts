import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { Logger } from '@aws-lambda-powertools/logger';
import { objectClient, queueClient, tableClient } from '../lib/aws/clients.ts';
import { timestamp } from '../lib/aws/table-clock.ts';
import { readEnv, workerEnv } from '../lib/config/env.ts';
import { openWatch } from '../lib/jobs/open-watch.ts';
import { starvingBands } from '../lib/jobs/starving-bands.ts';
import { LiveWorkers, REGISTER_EVERY } from '../lib/jobs/workers.ts';
import { PermitSource } from './permit-source.ts';
import { endMarkedLike } from './process-tree.ts';
import { Worker } from './worker.ts';

/** How long (ms) a worker without a parent tries to end in good order. */
const ORPHAN_LIFE = 15_000;

/** The worker: one long-running process, in a Fargate task or as a child of the local run. SIGTERM ends it gracefully. */
const env = readEnv(workerEnv);
const log = new Logger({ serviceName: 'promptq-worker' });
const workerId = `${hostname()}-${randomBytes(4).toString('hex')}`.slice(-63);
const markPrefix = `${createHash('sha256').update(env.PROMPTQ_WORK_DIR).digest('hex').slice(0, 16)}/`;

const { table, clock } = tableClient();
const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
const watch = openWatch({ env, table, clock, objects, queues: queueClient() });
const workers = new LiveWorkers({ table, registryTable: env.REGISTRY_TABLE, clock });

const draining = new AbortController();
const stopping = new AbortController();
const worker = new Worker(
  {
    ...watch,
    env,
    workerId,
    markPrefix,
    objects,
    log,
    source: new PermitSource({
      permits: watch.permits,
      starvingBands: () => starvingBands({ byStatus: watch.byStatus, clock }),
      onFailure: (error) => log.warn('looking for permits failed', error as Error),
    }),
  },
  { draining: draining.signal, stopping: stopping.signal },
);

await mkdir(env.PROMPTQ_WORK_DIR, { recursive: true, mode: 0o700 });
const leftover = await endMarkedLike(markPrefix);
if (leftover > 0) log.warn('ended what an earlier worker had left running', { processes: leftover });

process.on('SIGTERM', () => stop('SIGTERM', env.PROMPTQ_STOP_GRACE_SECONDS));
process.on('SIGINT', () => stop('SIGINT', env.PROMPTQ_STOP_GRACE_SECONDS));
// Only a child of the local run has such a channel: its closing means that the parent is gone, and with it whoever
// could take a report. The agents are ended, and the jobs are taken over when their leases are over.
process.once('disconnect', () => {
  stop('the parent is gone', 0);
  setTimeout(() => process.exit(1), ORPHAN_LIFE).unref();
});

const startedAt = timestamp(clock.now());
await register();
const registering = setInterval(() => void register(), REGISTER_EVERY);
log.info('ready', { worker_id: workerId, slots: env.PROMPTQ_CONCURRENCY });
await worker.run(env.PROMPTQ_CONCURRENCY);
clearInterval(registering);
await workers
  .deregister(workerId)
  .catch((error: Error) => log.warn('not deregistered; the entry ends by itself', error));
log.info('stopped', { worker_id: workerId });
process.exit(0);

function stop(why: string, graceSeconds: number): void {
  log.info('stopping', { why, running: worker.running.length, grace_seconds: graceSeconds });
  draining.abort();
  setTimeout(() => stopping.abort(), graceSeconds * 1000);
}

async function register(): Promise<void> {
  await workers
    .register({
      id: workerId,
      host: hostname(),
      version: env.PROMPTQ_VERSION,
      concurrency: env.PROMPTQ_CONCURRENCY,
      running: worker.running,
      started_at: startedAt,
    })
    .catch((error: Error) => log.warn('not registered; trying again', error));
}
