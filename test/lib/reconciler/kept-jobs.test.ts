import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { KeptJobs } from '../../../lib/reconciler/kept-jobs.ts';
import { removeEndedJobs } from '../../../lib/reconciler/remove-jobs.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});

const named = (number: number) => `job_${String(number).padStart(26, '0')}`;
const [OWNER, CHILD, GRANDCHILD] = [named(1), named(2), named(3)];
const daysAgo = (days: number) => timestamp(deployment.clock.now() - days * 86_400_000);
const endedAgo = (days: number): Partial<Job> => ({
  status: 'SUCCEEDED',
  reason: 'exited',
  attempt: 1,
  created_at: daysAgo(20),
  finished_at: daysAgo(days),
  updated_at: daysAgo(days),
});
/** A job that an agent started in the folder of the owner. */
const inFolder = (id: string, parent: string, more: Partial<Job>) =>
  aJob({ id, cwd: OWNER, folder_of: OWNER, parent_id: parent, created_by: `job:${parent}`, ...more });

const sweep = async () =>
  await removeEndedJobs(
    { ...deployment, jobsTable: deployment.env.JOBS_TABLE, bucket: deployment.env.OUTPUT_BUCKET },
    7,
  );
const left = async (...ids: string[]) => [...(await deployment.jobs.findAll(ids)).keys()].sort();

describe('the jobs of a private folder', () => {
  it('stay while one of them waits or has ended since, and are deleted together after that', async () => {
    await deployment.store(aJob({ id: OWNER, ...endedAgo(9), tool_children: [CHILD] }));
    await deployment.store(inFolder(CHILD, OWNER, { ...endedAgo(8), tool_children: [GRANDCHILD] }));
    const waits = { reason: 'question', parked: 'question', created_at: daysAgo(8) } as const;
    const last = await deployment.store(inFolder(GRANDCHILD, CHILD, waits));
    expect(await sweep()).toBe(0);
    await deployment.jobs.apply(last, { ...last, ...endedAgo(6) });
    expect(await sweep()).toBe(0);
    expect(await left(OWNER, CHILD, GRANDCHILD)).toEqual([OWNER, CHILD, GRANDCHILD]);
    const ended = (await deployment.read(last)) as Job;
    await deployment.jobs.apply(ended, { ...ended, ...endedAgo(8) });
    expect(await sweep()).toBe(3);
  });

  it('stay while the thread of one of them continues, and a removal that has begun is completed', async () => {
    await deployment.store(aJob({ id: OWNER, ...endedAgo(9), tool_children: [CHILD, named(5)] }));
    await deployment.store(inFolder(CHILD, OWNER, { ...endedAgo(9), thread_id: CHILD, turn: 1 }));
    const turn = { thread_id: CHILD, turn: 2, continues: CHILD, cwd: OWNER, folder_of: OWNER };
    await deployment.store(aJob({ id: named(4), ...turn, ...endedAgo(1) }));
    await deployment.threads.put(CHILD, { turn: 2, jobId: named(4) });
    await deployment.store(inFolder(named(5), OWNER, { ...endedAgo(9), removing: true }));
    expect(await sweep()).toBe(1);
    expect(await left(OWNER, CHILD, named(4), named(5))).toEqual([OWNER, CHILD, named(4)]);
  });

  it('stay while the owner of the folder has ended since', async () => {
    await deployment.store(aJob({ id: OWNER, ...endedAgo(1), tool_children: [CHILD] }));
    await deployment.store(inFolder(CHILD, OWNER, endedAgo(9)));
    expect(await sweep()).toBe(0);
    expect(await left(OWNER, CHILD)).toEqual([OWNER, CHILD]);
  });

  it('do not keep a job that works elsewhere', async () => {
    const elsewhere = { cwd: 'work', parent_id: OWNER, created_by: `job:${OWNER}` };
    await deployment.store(aJob({ id: OWNER, ...endedAgo(9), tool_children: [CHILD] }));
    await deployment.store(aJob({ id: CHILD, ...elsewhere, created_at: daysAgo(8) }));
    expect(await sweep()).toBe(1);
    expect(await left(OWNER, CHILD)).toEqual([CHILD]);
  });
});

it('a thread that continues is read once per sweep, however many turns it has', async () => {
  const TURNS = 100;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const ended = endedAgo(turn === TURNS ? 1 : 30);
    const thread = { thread_id: named(1), turn, ...(turn > 1 && { continues: named(turn - 1) }) };
    await deployment.store(aJob({ id: named(turn), ...thread, ...ended, created_at: daysAgo(40 - turn / 10) }));
    if (turn > 1) await deployment.threads.put(named(1), { turn, jobId: named(turn) });
  }
  for (let time = 0; time < 2; time += 1) {
    deployment.calls.length = 0;
    expect(await sweep()).toBe(0);
    const batches = deployment.calls.filter((call) => call instanceof BatchGetCommand);
    const keys = batches.flatMap(({ input }) => input.RequestItems?.[deployment.env.JOBS_TABLE]?.Keys ?? []);
    expect(keys).toHaveLength(TURNS);
    expect(deployment.calls.length).toBeLessThan(TURNS);
  }
});

/** What `KeptJobs` says of jobs one after the other, each with the ids of the jobs and threads that it reads for that. */
async function keptOf(ended: readonly Partial<Job>[], others: readonly (Job | 'newer')[] = []) {
  const reads: string[] = [];
  const known = new Map([...ended.map((job) => aJob(job)), ...others].map((job) => [nameOf(job), job]));
  const context = {
    jobs: {
      find: async (id: string) => {
        reads.push(id);
        return known.get(id);
      },
      findAll: async (ids: readonly string[]) => {
        reads.push(...ids);
        return new Map(ids.flatMap((id) => (known.has(id) ? [[id, known.get(id) as Job] as const] : [])));
      },
    },
    threads: {
      turns: async (thread: string) => [
        { turn: 1, jobId: thread },
        { turn: 2, jobId: `${thread} 2` },
      ],
      forks: async () => [],
    },
  };
  const kept = new KeptJobs(context, daysAgo(7));
  const said: (readonly [boolean, ...string[]])[] = [];
  for (const job of ended) {
    reads.length = 0;
    const keeps = await kept.keeps(aJob(job));
    said.push([keeps, ...reads]);
  }
  return { said, kept };
}
const nameOf = (job: Job | 'newer') => (job === 'newer' ? 'job_later' : job.id);

describe('whether an ended job is kept', () => {
  it('is known without a read if it has not ended long ago, works in a named folder, or its removal has begun', async () => {
    const { said } = await keptOf([
      { id: 'a', thread_id: 'a', ...endedAgo(6) },
      { id: 'b', thread_id: 'b', status: 'RUNNING' },
      { id: 'c', thread_id: 'c', ...endedAgo(8), removing: true },
      { id: 'd', cwd: 'work', ...endedAgo(8), tool_children: ['e'] },
    ]);
    expect(said).toEqual([[false], [false], [false], [false]]);
  });

  it('depends on all turns of its thread', async () => {
    const turns = (thread: string, days: number) => [
      { id: thread, thread_id: thread, cwd: 'work', ...endedAgo(9) },
      { id: `${thread} 2`, thread_id: thread, cwd: 'work', ...endedAgo(days) },
    ];
    const { said, kept } = await keptOf([...turns('over', 8), ...turns('open', 6)]);
    expect(said.map(([keeps]) => keeps)).toEqual([false, false, true, false]);
    expect(['over', 'over 2', 'open', 'open 2'].map((id) => kept.has(id))).toEqual([false, false, true, true]);
  });

  it('is found out once for each folder, whose owner leads to its jobs', async () => {
    const inA = { cwd: 'a', folder_of: 'a', ...endedAgo(8) };
    const { said } = await keptOf(
      [
        { id: 'a', ...endedAgo(8), tool_children: ['b', 'c'] },
        { id: 'b', ...inA },
        { id: 'd', ...endedAgo(8), tool_children: ['e'] },
        { id: 'e', cwd: 'd', folder_of: 'd', ...endedAgo(8) },
        { id: 'f', folder_of: 'gone', ...endedAgo(8) },
        { id: 'g', folder_of: 'job_later', ...endedAgo(8) },
      ],
      [aJob({ id: 'c', ...inA, ...endedAgo(6) }), 'newer'],
    );
    expect(said).toEqual([
      [true, 'b', 'c'],
      [true],
      [false, 'e'],
      [false, 'd', 'e'],
      [false, 'gone'],
      [true, 'job_later'],
    ]);
  });
});
