import { expect, it, vi } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { ScalingStore } from '../../../../lib/workers/scaling/scaling-store.ts';
import { WhyWaiting } from '../../../../lib/workers/scaling/why-waiting.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../../jobs/a-job.ts';

const RETRY_AT = '2026-11-20T10:05:00.000Z';

/** While launches fail. */
function whyWaiting() {
  const failure = { times: 1, at: RETRY_AT, retry_at: RETRY_AT, provider: 'FARGATE', reason: 'No capacity' };
  const readState = vi.fn(async () => ({ failure }));
  const { probes } = quietDeployment();
  return { readState, why: new WhyWaiting({ probes, scaling: { readState } as unknown as ScalingStore }) };
}

const waiting = aJob();
const note = { waiting_note: 'No worker could be started: No capacity.', due_at: RETRY_AT };

it.each<[string, Job, boolean]>([
  ['waits for a worker', waiting, true],
  ['waits for a worker after it lost one', aJob({ reason: 'worker_lost' }), true],
  ['waits to be retried', aJob({ reason: 'retry_backoff' }), false],
  ['waits for its folder', aJob({ reason: 'folder_busy', parked: 'folder_busy' }), false],
  ['failed because it lost its workers', aJob({ status: 'FAILED', reason: 'worker_lost' }), false],
  ['runs', aRunningJob(), false],
])('a job that %s says that no worker could be started, if it needs one', async (_what, job, isNoted) => {
  expect(await whyWaiting().why.annotate([job, waiting])).toEqual([
    isNoted ? { ...job, ...note } : job,
    { ...waiting, ...note },
  ]);
});

it('launches are of no concern if no job waits for a worker', async () => {
  const { why, readState } = whyWaiting();
  expect(await why.annotate([aRunningJob()])).toEqual([aRunningJob()]);
  expect(readState).not.toHaveBeenCalled();
});
