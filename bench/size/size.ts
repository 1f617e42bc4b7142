import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { JobCounts } from '../../lib/counters/counts.ts';
import { claim } from '../../lib/jobs/admission/claim.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../lib/jobs/lifecycle/job-id.ts';
import { JobIndex } from '../../lib/jobs/store/job-index.ts';
import { JobLabelStore } from '../../lib/jobs/store/job-labels.ts';
import { listJobs } from '../../lib/jobs/views/list-jobs.ts';
import { reconcile } from '../../lib/reconciler/reconciler.ts';
import { aJob } from '../../test/lib/jobs/a-job.ts';
import { emulateDeployment } from '../../test/stand-ins/emulated-deployment.ts';
import { Meter, sum } from '../requests/meter.ts';
import { loadJobs } from './load-jobs.ts';

/**
 * Prints what requests cost on the emulator among few and many waiting jobs: the newest 50, those of one of ten
 * projects, a claim, and a round of the reconciler.
 */
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', multiple: true, default: ['100', '1000000'] },
    rounds: { type: 'string', default: '5' },
  },
});
const PROJECTS = 10;
const ROUNDS = Number(values.rounds);

console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(0)}, Node ${process.version}`);
console.log('| waiting jobs | what | requests | read units | ms, median |');
console.log('|---|---|---|---|---|');
for (const jobs of values.jobs) await measure(Number(jobs));

async function measure(size: number): Promise<void> {
  const deployment = await emulateDeployment();
  try {
    const { table, objects, queues, env, clock, registry, threads, trees } = deployment;
    loadJobs(deployment, waitingJobs(size, clock.now()));
    const meter = new Meter({ table, objects, queues });
    const context = {
      index: new JobIndex({ table, jobsTable: env.JOBS_TABLE, registryTable: env.REGISTRY_TABLE }),
      labels: new JobLabelStore(registry),
      counts: new JobCounts(registry),
      folders: { workspaces: '/workspaces', roots: [] },
      clock,
      threads,
      trees,
    };
    const message = { v: 1, band: 'normal', project: 'p7', job: jobIdOfKey('none') } as const;
    const received = { message, handle: 'handle', receives: 9 };
    const row = async (what: string, rounds: number, act: () => Promise<unknown>) => {
      await act();
      meter.take();
      const times: number[] = [];
      for (let n = 0; n < rounds; n += 1) {
        const begun = performance.now();
        await act();
        times.push(performance.now() - begun);
      }
      const { reads, requests } = meter.take();
      const median = times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
      const cells = [sum(requests) / rounds, sum(reads) / rounds].map((mean) => mean.toFixed(1));
      console.log(`| ${size} | ${what} | ${cells.join(' | ')} | ${median.toFixed(0)} |`);
    };
    await row('newest 50', ROUNDS, () => listJobs(context, { limit: 50 }));
    await row('newest 50 that wait', ROUNDS, () => listJobs(context, { limit: 50, status: 'QUEUED' }));
    await row('newest 50 of a project', ROUNDS, () => listJobs(context, { limit: 50, project: 'p7' }));
    await row('claim', ROUNDS, () => claim(deployment, received, 'worker-1'));
    await row('reconcile', 1, () => reconcile(deployment));
  } finally {
    await deployment.stop();
  }
}

/** A second apart, of ten projects. */
function* waitingJobs(size: number, now: number): Generator<Job> {
  for (let n = 0; n < size; n += 1) {
    const at = new Date(now - (size - n) * 1_000).toISOString();
    const project = `p${n % PROJECTS}`;
    const id = jobIdOfKey(`size ${n}`);
    yield aJob({ id, project_id: project, project, profile: 'codex', created_at: at, queued_at: at, updated_at: at });
  }
}
