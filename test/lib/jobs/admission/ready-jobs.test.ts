import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { readyIndex, readyJobs, sharedReads } from '../../../../lib/jobs/admission/ready-jobs.ts';
import { readyKey } from '../../../../lib/jobs/indexes/ready-keys.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const PARTITION = readyKey('normal', 'local_project');

function indexUnderTest() {
  const deployment = quietDeployment();
  const at = (milliseconds: number) => timestamp(deployment.clock.now() + milliseconds);
  const read = readyIndex(deployment.table, deployment.env.JOBS_TABLE, deployment.clock);
  const limits = () => deployment.calls.flatMap((call) => (call instanceof QueryCommand ? [call.input.Limit] : []));
  return { ...deployment, at, read, limits };
}

describe('the ready index', () => {
  it('offers jobs that are due, and none that only a later version understands', async () => {
    const { store, at, read } = indexUnderTest();
    await store({ id: jobIdOfKey('later'), reason: 'budget_reached', queued_at: '2026-11-20T09:00:00.000Z' });
    await store({ id: jobIdOfKey('not due'), due_at: at(60_000), queued_at: '2026-11-20T09:00:00.000Z' });
    const due = await store({ id: jobIdOfKey('due'), due_at: at(0) });
    expect((await read(PARTITION)).jobs).toEqual([due]);
  });

  it('is read in small parts first, and in larger ones while no job is due', async () => {
    const { store, at, read, limits } = indexUnderTest();
    for (let n = 0; n < 40; n += 1)
      await store({ id: jobIdOfKey(`wait ${n}`), due_at: at(60_000), queued_at: '2026-11-20T09:00:00.000Z' });
    const due = await store({ id: jobIdOfKey('due') });
    expect((await read(PARTITION, 4)).jobs).toEqual([due]);
    expect(limits()).toEqual([7, 25, 25]);
  });
});

it('slots that claim together share one read, which brings a job more for each', async () => {
  const asked: unknown[] = [];
  const read = sharedReads(async (...how) => {
    asked.push(how);
    return { jobs: [] };
  });
  await Promise.all([read('one', 2), read('one'), read('one', 1), read('other')]);
  expect(asked).toEqual([
    ['one', 4],
    ['other', 0],
  ]);
  await read('one');
  expect(asked).toHaveLength(3);
});

it('jobs of several partitions are offered in one order', async () => {
  const of = (name: string, priority: number) => aJob({ id: jobIdOfKey(name), priority });
  const parts = [{ jobs: [of('a', 9), of('b', 5)] }, { jobs: [of('c', 7), of('d', 1)] }, { jobs: [] }, { jobs: [] }];
  const message = { v: 1, band: 'high', project: 'local_project', job: jobIdOfKey('a') } as const;
  const reads = parts.values();
  const readReady = async () => reads.next().value ?? { jobs: [] };
  const offered = await readyJobs(readReady, message, { isSpread: true, besides: 0 });
  expect(offered.map(({ priority }) => priority)).toEqual([9, 7, 5, 1]);
});
