import { beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { removeEndedJobs } from '../../../lib/reconciler/remove-jobs.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob, startedBy } from '../jobs/a-job.ts';

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
  aJob({ id, cwd: OWNER, folder_of: OWNER, ...startedBy(parent), ...more });

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

  it('do not keep a job that works elsewhere', async () => {
    const elsewhere = { cwd: 'work', ...startedBy(OWNER) };
    await deployment.store(aJob({ id: OWNER, ...endedAgo(9), tool_children: [CHILD] }));
    await deployment.store(aJob({ id: CHILD, ...elsewhere, created_at: daysAgo(8) }));
    expect(await sweep()).toBe(1);
    expect(await left(OWNER, CHILD)).toEqual([CHILD]);
  });
});
