import { parseArgs } from 'node:util';
import type { NewJob } from '../../lib/contract/schemas/jobs/one-name.ts';
import { JobCounts } from '../../lib/counters/counts.ts';
import { EventFeed } from '../../lib/events/event-feed.ts';
import { claim } from '../../lib/jobs/admission/claim.ts';
import { createJob } from '../../lib/jobs/creation/create-job.ts';
import { StatsStore } from '../../lib/stats/counting/stats-store.ts';
import { emulateDeployment } from '../../test/stand-ins/emulated-deployment.ts';
import { openWorker } from '../../test/stand-ins/emulated-worker.ts';
import { runAttempt } from '../../worker-container/attempt/run-attempt.ts';
import { LifeCounter } from './life-counter.ts';
import { printPageCosts } from './list-cost.ts';
import { Meter, sum, type Usage } from './meter.ts';

/** Prints what a job's life and a page of the list are charged for, on the emulators, which charge by AWS's rules. */
const { values } = parseArgs({ options: { large: { type: 'boolean', default: false } } });

const AIMS = { writes: 9, reads: 2, sqs: 3, s3: 2 } as const;
const COLUMNS = ['writes', 'reads', 'sqs', 's3'] as const;

/** Jobs as they come. A repeat of a key is looked for before anything is written, which is a read more. */
const JOBS: readonly { name: string; body: NewJob; key?: string }[] = [
  { name: 'a short prompt', body: { prompt: 'echo hi' } },
  {
    name: 'a prompt of 700 characters, model, cwd',
    body: {
      prompt: `echo ${'long '.repeat(139)}`,
      model: 'a-model-of-some-vendor',
      cwd: 'services/checkout/api',
      priority: 5,
      retries: 2,
      timeout: 900,
    },
  },
  { name: 'a prompt of 300 characters of three bytes each', body: { prompt: `echo ${'\u6f22'.repeat(295)}` } },
  { name: 'a short prompt with an idempotency key', body: { prompt: 'echo hi' }, key: 'order-2026-11-20-17' },
];

const deployment = await emulateDeployment();
try {
  const meter = new Meter(deployment);
  const { creation, worker } = await openWorker(deployment);
  const stats = new StatsStore(deployment.registry);
  const counts = new JobCounts(deployment.registry);
  const feed = new EventFeed(deployment.registry);
  const lives = new LifeCounter({ stats, counts, feed });
  for (const { name, body, key } of JOBS) {
    // What a process or project needs once is no part of a job's life.
    await live(body);
    const steps = await live(key === undefined ? body : { ...body, idempotency_key: key });
    const { counting, ...life } = steps;
    console.log(`\nA job's life: ${name}; agent shell, output of one stream, ended before the first heartbeat\n`);
    printLife(life);
    console.log(
      `counting it, each step alone in its second: ${sum(counting.writes)} writes, ${sum(counting.reads)} reads`,
    );
  }
  await printPageCosts(deployment, meter, values.large ? [100, 10_000, 100_000] : [100, 10_000]);

  /** Creates a job, claims it by its dispatch message, runs it to its end. @returns what each step used */
  async function live(body: NewJob): Promise<Record<string, Usage> & { counting: Usage }> {
    meter.take();
    const { id } = await createJob(creation, body, 'token:bench');
    const created = meter.take();
    const queued = await deployment.jobs.get(id, { consistent: true });
    meter.take();
    const held = await deployment.dispatchQueues.receive(body.priority === undefined ? 'normal' : 'high', 5);
    if (held === undefined) throw new Error('the message did not arrive');
    const claimed = await claim(deployment, held, worker.workerId);
    if (claimed.kind !== 'claimed') throw new Error(`the message led to: ${claimed.kind}`);
    const claiming = meter.take();
    await runAttempt({ ...worker, reads: claimed.reads }, claimed.job, held, new AbortController().signal);
    const finished = meter.take();
    const job = await deployment.jobs.get(id, { consistent: true });
    if (job?.status !== 'SUCCEEDED') throw new Error(`the job is ${job?.status}: ${job?.error}`);
    meter.take();
    await lives.count([undefined, queued, claimed.job, job]);
    return { create: created, claim: claiming, 'run and finish': finished, counting: meter.take() };
  }
} finally {
  await deployment.stop();
}

function printLife(steps: Record<string, Usage>): void {
  const rows = Object.entries(steps).flatMap(([step, usage]) =>
    COLUMNS.flatMap((column) => [...usage[column]].map(([what, amount]) => ({ step, what, [column]: amount }))),
  );
  const totals = Object.fromEntries(
    COLUMNS.map((column) => [column, Object.values(steps).reduce((total, usage) => total + sum(usage[column]), 0)]),
  );
  const verdict = COLUMNS.filter((column) => (totals[column] ?? 0) > AIMS[column]);
  console.table([...rows, { step: 'life', what: '', ...totals }, { step: 'aim', what: 'at most', ...AIMS }]);
  console.log(verdict.length === 0 ? 'within every aim' : `ABOVE THE AIM: ${verdict.join(', ')}`);
}
