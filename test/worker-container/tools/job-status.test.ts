import { expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobStatusTool } from '../../../worker-container/tools/start-jobs.ts';
import { aJob, aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const [PARENT, CHILD] = ['job_00000000000000000000000001', 'job_00000000000000000000000002'];

/** What an agent reads of a job that it has started; each attempt has left a final message. */
async function statusOf(child: Partial<Job>, { lag = 0 } = {}): Promise<Record<string, unknown>> {
  const deployment = quietDeployment({ lag });
  const parent = await deployment.store(aRunningJob({ id: PARENT, tool_children: [CHILD] }));
  await deployment.store(aJob({ id: CHILD, ...child }));
  const readReceipt = async (_: string, attempt: number) =>
    aReceipt({ kind: 'succeeded', reason: 'exited' }, { final_message: `of attempt ${attempt}` });
  const tool = jobStatusTool({ ...deployment, readReceipt } as unknown as Parameters<typeof jobStatusTool>[0], parent);
  return JSON.parse(await tool.call({ id: CHILD }, new AbortController().signal)) as Record<string, unknown>;
}

it('a job that has ended is shown with its final message', async () => {
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 2 } as const;
  expect(await statusOf(ended)).toMatchObject({ id: CHILD, ...ended, final_message: 'of attempt 2' });
});

it.each([
  ['that is to be retried', { attempt: 1 }],
  ['that was cancelled before it ran', { status: 'CANCELLED', reason: 'cancelled_by_request' }],
] as const)('a job %s has no final message', async (_, child) => {
  const status = await statusOf(child);
  expect(status).toMatchObject(child);
  expect(status).not.toHaveProperty('final_message');
});

it('a job is shown as it was last written, right after it was started', async () => {
  expect(await statusOf({}, { lag: 60_000 })).toMatchObject({ id: CHILD, status: 'QUEUED' });
});

it('a job that is being removed is not shown', async () => {
  await expect(statusOf({ removing: true })).rejects.toThrow('this job has started no job of this id');
});
