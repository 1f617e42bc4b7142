import { expect, it } from 'vitest';
import { acquireSlot, isFree, type Slot, type SlotContext } from '../../../../lib/jobs/admission/slots.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;
const hold = (job: number, version: number): Slot => ({
  job_id: id(job),
  job_version: version,
  taken_at: '2026-11-20T10:00:00.000Z',
});
const PLACE = 'a-place';
const waiting = (last: number, more: Partial<Job> = {}) => ({
  id: id(last),
  reason: 'folder_busy' as const,
  parked: 'folder_busy' as const,
  folder: PLACE,
  ...more,
});

it('of two jobs that found a slot free one gets it', async () => {
  const deployment = quietDeployment();
  const [first, second] = [await deployment.store({ id: id(1) }), await deployment.store({ id: id(2) })];
  const overtaken: SlotContext = {
    ...deployment,
    slots: {
      read: async (place) => {
        const known = await deployment.slots.read(place);
        await acquireSlot(deployment, first, place);
        return known;
      },
      replace: async (...how) => await deployment.slots.replace(...how),
    },
  };
  expect(await acquireSlot(overtaken, second, PLACE)).toBe(false);
  expect(await deployment.slots.read(PLACE)).toMatchObject({ job_id: first.id });
});

it.each<[string, Partial<Job> | undefined, boolean]>([
  ['that runs there', { status: 'RUNNING', folder: PLACE }, false],
  ['that runs with this slot of its profile', { status: 'RUNNING', place: PLACE }, false],
  ['that runs elsewhere', { status: 'RUNNING', folder: 'another' }, true],
  ['that has ended', { status: 'FAILED', reason: 'exited' }, true],
  ['that waits for this slot', waiting(1), true],
  ['that is gone', undefined, true],
])('the slot of a job %s', async (_what, state, free) => {
  const deployment = quietDeployment();
  const job = aJob({ id: id(1) });
  if (state !== undefined) await deployment.store({ ...job, ...state, attempt: 1, version: job.version + 1 });
  await deployment.slots.replace(PLACE, undefined, {
    ...hold(1, job.version),
    taken_at: timestamp(deployment.clock.now()),
  });
  expect(await isFree(deployment, PLACE)).toBe(free);
});
