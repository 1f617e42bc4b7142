import { readFileSync, writeFileSync } from 'node:fs';
import { JobCounts } from '../../lib/counters/counts.ts';
import { EventFeed } from '../../lib/events/event-feed.ts';
import { claim } from '../../lib/jobs/admission/claim.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { LEASE } from '../../lib/jobs/lifecycle/lease.ts';
import { WorkerSignals } from '../../lib/live/worker-signals.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { QUEUE } from '../../lib/platform/aws/tables.ts';
import { StatsStore } from '../../lib/stats/counting/stats-store.ts';
import { openWorker } from '../../test/stand-ins/emulated-worker.ts';
import { runAttempt } from '../../worker-container/attempt/run-attempt.ts';
import { LifeCounter } from './life-counter.ts';
import { Meter } from './meter.ts';
import { openRoutes } from './open-routes.ts';
import { COUNTS_FILE, type RequestCounts, stepOf } from './request-counts.ts';

/**
 * Counts what a job's life, and an idle minute, are charged for: the exported functions behind the local gateway and the
 * worker's own modules, on the emulators, which charge by AWS's rules. Writes it down; with `--check` it says whether
 * what stands there is what it counts. `npm run generate` makes dollars of it.
 */
const meter = Meter.ofProcess();
const { deployment, call, close } = await openRoutes();
const { worker } = await openWorker(deployment);
const stats = new StatsStore(deployment.registry);
const counts = new JobCounts(deployment.registry);
const feed = new EventFeed(deployment.registry);
const { handler: watch } = await import('../../functions/triggers/reconcile-jobs.ts');
const lives = new LifeCounter({ stats, counts, feed });

try {
  // What a process, a project or a day needs once is no part of a job's life.
  await live();
  await watch({});
  meter.take();
  await watch({});
  const idleMinute = stepOf(meter.take());
  const text = `${JSON.stringify({ ...(await live()), idleMinute }, null, 2)}\n`;
  const isStale = readFileSync(COUNTS_FILE, 'utf8') !== text;
  if (!process.argv.includes('--check')) {
    writeFileSync(COUNTS_FILE, text);
  } else if (isStale) {
    console.error(`${COUNTS_FILE.pathname} is stale: run \`npm run bench -- requests\`; counted now:\n${text}`);
    process.exitCode = 1;
  }
} finally {
  await close();
}

/** One job from its creation to the reading of its result. */
async function live(): Promise<Omit<RequestCounts, 'idleMinute'>> {
  meter.take();
  const { id } = await call('POST', '/jobs', { prompt: 'echo hi', profile: 'shell' });
  const create = stepOf(meter.take());
  const queued = await known(id);
  const held = await deployment.dispatchQueues.receive('normal', 5);
  if (held === undefined) throw new Error('the message did not arrive');
  const receiving = stepOf(meter.take());
  const claimed = await claim(deployment, held, worker.workerId);
  if (claimed.kind !== 'claimed') throw new Error(`the message led to: ${claimed.kind}`);
  const claiming = stepOf(meter.take());
  await deployment.jobs.touch(claimed.job, { lease_until: timestamp(deployment.clock.now() + LEASE.duration) });
  await deployment.dispatchQueues.extend(held, QUEUE.visibilityTimeout);
  const heartbeat = stepOf(meter.take());
  await new WorkerSignals(deployment.registry).read(worker.workerId);
  const look = stepOf(meter.take());
  await deployment.workers.register({
    id: worker.workerId,
    host: 'ip-10-0-0-1.ec2.internal',
    version: '0.1.0',
    concurrency: 1,
    running: [id],
    started_at: queued.created_at,
  });
  const register = stepOf(meter.take());
  await runAttempt({ ...worker, reads: claimed.reads }, claimed.job, held, new AbortController().signal);
  const run = stepOf(meter.take());
  const ended = await known(id);
  if (ended.status !== 'SUCCEEDED') throw new Error(`the job is ${ended.status}: ${ended.error}`);
  await lives.count([undefined, queued, claimed.job, ended]);
  const count = stepOf(meter.take());
  await call('GET', `/jobs/${id}/status`);
  const status = stepOf(meter.take());
  await call('GET', `/jobs/${id}/result`);
  const result = stepOf(meter.take());
  // Receiving the message is one request of the claim; other receives meanwhile belong to no job.
  return {
    create,
    status,
    result,
    claim: { ...claiming, sqs: claiming.sqs + receiving.sqs },
    run,
    count,
    heartbeat,
    look,
    register,
  };
}

/** The job as it stands, at no charge. */
async function known(id: string): Promise<Job> {
  const job = await deployment.jobs.get(id, { consistent: true });
  meter.take();
  if (job === undefined) throw new Error(`${id} is not there`);
  return job;
}
