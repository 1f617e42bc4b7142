import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobListQuery } from '../../../../lib/contract/schemas/jobs/job-list.ts';
import { countedState, JobCounts } from '../../../../lib/counters/counts.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import { JobIndex } from '../../../../lib/jobs/store/job-index.ts';
import { JobTextStore } from '../../../../lib/jobs/store/job-texts.ts';
import { ThreadStore } from '../../../../lib/jobs/threads/thread-store.ts';
import { TreeStore } from '../../../../lib/jobs/trees/tree-store.ts';
import { listJobs } from '../../../../lib/jobs/views/list-jobs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aRunningJob } from '../a-job.ts';

let deployment: EmulatedDeployment;
const question = { id: 'q_1', state: 'open', due: '2036-11-20T10:00:00.000Z' } as const;
const answered = { ...question, state: 'answered', answer: 'a' } as const;

/** All of one thread, with the same text. */
const JOBS = {
  waits: { status: 'QUEUED', reason: 'question', parked: 'question', due_at: question.due, question },
  asks: { ...aRunningJob({}), question },
  told: { ...aRunningJob({}), question: answered },
  runs: aRunningJob({}),
  ready: {},
} as const;

beforeAll(async () => {
  deployment = await emulateDeployment();
  const texts = { prompt: 'a needle', project: 'local_project' };
  const { registry } = deployment;
  const changes = [];
  for (const [n, [name, more]] of Object.entries(JOBS).entries()) {
    const turn = { thread_id: 'job_thread', turn: n + 1, texts: JobTextStore.address(texts) };
    const job = await deployment.store({ ...more, ...turn, id: `job_${name}` });
    await deployment.texts.put(job, texts);
    changes.push({ sequence: `${n + 1}`, before: undefined, after: countedState({ ...job, ...indexKeys(job) }) });
  }
  await new JobCounts(registry).apply('shard', changes);
});
afterAll(async () => {
  await deployment.stop();
});

async function list(query: Partial<JobListQuery>) {
  const { table, env, clock, texts, registry } = deployment;
  const context = {
    index: new JobIndex({ table, jobsTable: env.JOBS_TABLE, registryTable: env.REGISTRY_TABLE }),
    labels: texts.labels,
    counts: new JobCounts(registry),
    clock,
    threads: new ThreadStore(registry),
    trees: new TreeStore(registry),
    folders: { workspaces: '/workspaces', roots: [] },
  };
  const { items, total } = await listJobs(context, { limit: undefined, offset: undefined, ...query });
  return { ids: items.map(({ job }) => job.id.replace('job_', '')).toSorted(), total };
}

it.each([{}, { profile: 'practice' }, { search: 'needle' }])(
  'a job is listed as needing an answer from its question on, while it runs too (%o)',
  async (filter) => {
    const needs = 'answer';
    expect(await list({ ...filter, needs })).toEqual({ ids: ['asks', 'waits'], total: 2 });
    expect(await list({ ...filter, needs, status: 'RUNNING' })).toEqual({ ids: ['asks'], total: 1 });
    expect(await list({ ...filter, needs, status: 'QUEUED' })).toEqual({ ids: ['waits'], total: 1 });
    expect(await list({ ...filter, status: 'RUNNING' })).toEqual({ ids: ['asks', 'runs', 'told'], total: 3 });
    expect(await list({ ...filter, status: 'QUEUED' })).toEqual({ ids: ['ready', 'waits'], total: 2 });
  },
);
