import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Ending, isReleasingJob } from '../../../worker-container/commands/ending.ts';

/** The reason that an attempt ends for, and whether a kill escalated it, after these requests. */
async function after(...reasons: Parameters<Ending['request']>[0][]) {
  const ending = new Ending();
  for (const reason of reasons) ending.request(reason);
  let escalated = false;
  void ending.escalated.then(() => {
    escalated = true;
  });
  const first = await ending.requested;
  await setImmediate();
  return { first, reason: ending.reason, escalated };
}

it('the first reason counts', async () => {
  expect(await after('timed_out', 'cancelled', 'stopping')).toEqual({
    first: 'timed_out',
    reason: 'timed_out',
    escalated: false,
  });
});

it('a kill escalates any end, and replaces a cancel only', async () => {
  expect(await after('killed')).toMatchObject({ reason: 'killed', escalated: true });
  expect(await after('cancelled', 'killed')).toMatchObject({ first: 'cancelled', reason: 'killed', escalated: true });
  expect(await after('timed_out', 'killed')).toMatchObject({ reason: 'timed_out', escalated: true });
  expect(await after('cancelled', 'stopping')).toMatchObject({ reason: 'cancelled', escalated: false });
});

it('a worker that has to stop, or has lost the job, releases it whatever the attempt ends for', () => {
  for (const [reasons, isReleasing] of [
    [['timed_out', 'killed'], false],
    [['stopping'], true],
    [['timed_out', 'stopping'], true],
    [['cancelled', 'lost'], true],
  ] as const) {
    const ending = new Ending();
    for (const reason of reasons) ending.request(reason);
    expect([reasons, isReleasingJob(ending)]).toEqual([reasons, isReleasing]);
  }
});
