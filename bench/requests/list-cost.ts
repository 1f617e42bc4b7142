import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { STATUSES, type Status } from '../../lib/contract/statuses.ts';
import { JobCounts } from '../../lib/counters/counts.ts';
import { indexKeys } from '../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../lib/jobs/lifecycle/job-id.ts';
import { JobIndex } from '../../lib/jobs/store/job-index.ts';
import { JobLabelStore } from '../../lib/jobs/store/job-labels.ts';
import { ThreadStore } from '../../lib/jobs/threads/thread-store.ts';
import { TreeStore } from '../../lib/jobs/trees/tree-store.ts';
import { listJobs } from '../../lib/jobs/views/list-jobs.ts';
import { aJob } from '../../test/lib/jobs/a-job.ts';
import type { EmulatedDeployment } from '../../test/stand-ins/emulated-deployment.ts';
import { type Meter, sum } from './meter.ts';

const AIM = { queries: 9, reads: 8 } as const;
const START = Date.parse('2026-11-20T10:00:00.000Z');

/** Previews as short as a line, and as long as they can be. */
const PREVIEWS = { 'short previews': 40, 'full previews': 200 } as const;

/** Prints what the newest 50 jobs cost to list, among so many. `sizes` ascending. */
export async function printPageCosts(
  deployment: EmulatedDeployment,
  meter: Meter,
  sizes: readonly number[],
): Promise<void> {
  const { table, env, clock } = deployment;
  const index = new JobIndex({ table, jobsTable: env.JOBS_TABLE, registryTable: env.REGISTRY_TABLE });
  const context = {
    index,
    labels: new JobLabelStore({ table, registryTable: env.REGISTRY_TABLE }),
    counts: new JobCounts({ table, registryTable: env.REGISTRY_TABLE }),
    clock,
    threads: new ThreadStore({ table, registryTable: env.REGISTRY_TABLE }),
    trees: new TreeStore({ table, registryTable: env.REGISTRY_TABLE }),
    folders: { workspaces: '/workspaces', roots: [] },
  };
  await context.counts.read();
  const rows: Record<string, unknown>[] = [];
  let at = 0;
  for (const size of sizes) {
    for (const [previews, length] of Object.entries(PREVIEWS)) {
      // The newest jobs are those just written, so each page shows previews of one length.
      const upTo = size + (length === PREVIEWS['short previews'] ? 0 : 200);
      await load(deployment, { from: at, to: upTo, preview: length });
      at = upTo;
      for (const status of [undefined, 'SUCCEEDED'] as const) {
        meter.take();
        const { items } = await listJobs(context, { limit: 50, status });
        const { reads, requests } = meter.take();
        const readOf = (isMeant: (what: string) => boolean) =>
          sum(new Map([...reads].filter(([what]) => isMeant(what))));
        const page = readOf((what) => what.includes('/'));
        const details = readOf((what) => what === env.JOBS_TABLE);
        rows.push({
          jobs: at,
          previews,
          filter: status ?? 'none',
          items: items.length,
          queries: requests.get('Query') ?? 0,
          'page RRU': page,
          'details RRU': details,
          'counts RRU': sum(reads) - page - details,
          verdict: page <= AIM.reads && requests.get('Query') === AIM.queries ? 'within' : 'ABOVE THE AIM',
        });
      }
    }
  }
  console.log(
    `\nThe newest 50 of so many jobs; aim: two queries of each partition and one of the counts, the list at most ${AIM.reads} RRU\n`,
  );
  console.table(rows);
}

async function load(
  { table, env }: EmulatedDeployment,
  { from, to, preview }: { from: number; to: number; preview: number },
): Promise<void> {
  for (let at = from; at < to; at += 25) {
    const jobs = Array.from({ length: Math.min(25, to - at) }, (_, n) => endedJob(at + n, preview));
    await table.send(
      new BatchWriteCommand({
        RequestItems: {
          [env.JOBS_TABLE]: jobs.map((job) => ({ PutRequest: { Item: { ...job, ...indexKeys(job) } } })),
        },
      }),
    );
  }
}

/** Every second job has succeeded, the others are in the other states. */
function endedJob(n: number, preview: number): Job {
  const at = new Date(START + n * 1_000).toISOString();
  const others: readonly Status[] = STATUSES.filter((status) => status !== 'SUCCEEDED');
  return aJob({
    id: jobIdOfKey(`page ${n}`),
    status: n % 2 === 0 ? 'SUCCEEDED' : (others[((n - 1) / 2) % others.length] ?? 'FAILED'),
    reason: 'exited',
    profile: 'codex',
    cwd: 'services/checkout/api',
    prompt_preview: 'Make the tests of the checkout pass. '.repeat(6).slice(0, preview),
    attempt: 1,
    created_at: at,
    queued_at: at,
    started_at: at,
    finished_at: at,
    updated_at: at,
  });
}
