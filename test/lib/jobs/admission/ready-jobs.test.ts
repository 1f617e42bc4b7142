import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { readyIndex, sharedReads } from '../../../../lib/jobs/admission/ready-jobs.ts';
import { readyKey } from '../../../../lib/jobs/indexes/ready-keys.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

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
    expect(await read(PARTITION)).toEqual([due]);
  });

  it('is read in small parts first, and in larger ones while no job is due', async () => {
    const { store, at, read, limits } = indexUnderTest();
    for (let n = 0; n < 40; n += 1)
      await store({ id: jobIdOfKey(`wait ${n}`), due_at: at(60_000), queued_at: '2026-11-20T09:00:00.000Z' });
    const due = await store({ id: jobIdOfKey('due') });
    expect(await read(PARTITION, 4)).toEqual([due]);
    expect(limits()).toEqual([7, 25, 25]);
  });
});

it('slots that claim together share one read, which brings a job more for each', async () => {
  const asked: unknown[] = [];
  const read = sharedReads(async (...how) => {
    asked.push(how);
    return [];
  });
  await Promise.all([read('one', 2), read('one'), read('one', 1), read('other')]);
  expect(asked).toEqual([
    ['one', 4],
    ['other', 0],
  ]);
  await read('one');
  expect(asked).toHaveLength(3);
});
