import { expect, test } from 'vitest';
import { startSchedule } from '../../../../lib/local/triggers/schedules.ts';

test('it runs at once and then repeatedly, and marks the first run', async () => {
  const runs: boolean[] = [];
  const schedule = startSchedule({
    name: 'x',
    everyMs: 1,
    run: async (isFirst) => runs.push(isFirst),
    log: () => undefined,
  });
  await expect.poll(() => runs.length).toBeGreaterThan(2);
  await schedule.stop();
  expect(runs.slice(0, 3)).toEqual([true, false, false]);
});

test('a failure is logged and does not stop the schedule; the first run counts only once it succeeded', async () => {
  const runs: boolean[] = [];
  const logged: string[] = [];
  const run = async (isFirst: boolean) => {
    runs.push(isFirst);
    if (runs.length < 3) throw new Error('not yet');
  };
  const schedule = startSchedule({ name: 'reconcile-jobs', everyMs: 1, run, log: (line) => logged.push(line) });
  await expect.poll(() => runs.length).toBeGreaterThan(3);
  await schedule.stop();
  expect(runs.slice(0, 4)).toEqual([true, true, true, false]);
  expect(logged).toEqual([expect.stringContaining('reconcile-jobs failed: Error: not yet'), expect.any(String)]);
});

test('runs do not overlap, and stopping waits for the one in progress', async () => {
  const leave = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const run = async () => {
    running += 1;
    most = Math.max(most, running);
    await leave.promise;
    running -= 1;
  };
  const schedule = startSchedule({ name: 'x', everyMs: 0, run, log: () => undefined });
  await expect.poll(() => running).toBe(1);
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  let hasStopped = false;
  const stopping = schedule.stop().then(() => {
    hasStopped = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  expect([running, hasStopped]).toEqual([1, false]);
  leave.resolve();
  await stopping;
  expect([running, most]).toEqual([0, 1]);
});

test('the second run can come sooner than the others', async () => {
  let runs = 0;
  const schedule = startSchedule({
    name: 'x',
    everyMs: 1_000_000,
    secondAfterMs: 1,
    run: async () => (runs += 1),
    log: () => undefined,
  });
  await expect.poll(() => runs).toBe(2);
  await schedule.stop();
});
