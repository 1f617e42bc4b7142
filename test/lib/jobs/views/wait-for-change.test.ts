import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { announceChange, waitForChange } from '../../../../lib/jobs/views/wait-for-change.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const START = Date.parse(aJob().updated_at);

it('a job that an announcement says has changed is read at once', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store(aJob());
  const waiting = Promise.withResolvers<void>();
  const never = async (_ms: number, signal: AbortSignal) => {
    waiting.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const seen = waitForChange({ ...deployment, pause: never }, job.id, 25);
  await waiting.promise;
  expect(await transition(deployment, job, { type: 'claim', workerId: 'worker-1' })).toMatchObject({ done: true });
  announceChange(job.id);
  expect(await seen).toMatchObject({ status: 'RUNNING' });
});

it('a change that is announced while the job is first read is not missed', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store(aJob());
  const pauses: boolean[] = [];
  const jobs = Object.assign(Object.create(deployment.jobs) as typeof deployment.jobs, {
    get: async (...given: Parameters<typeof deployment.jobs.get>) => {
      const read = await deployment.jobs.get(...given);
      if (pauses.length > 0) return read;
      await transition(deployment, job, { type: 'claim', workerId: 'worker-1' });
      announceChange(job.id);
      return read;
    },
  });
  const pause = async (_ms: number, { aborted }: AbortSignal) => void pauses.push(aborted);
  expect(await waitForChange({ ...deployment, jobs, pause }, job.id, 25)).toMatchObject({ status: 'RUNNING' });
  expect(pauses).toEqual([true]);
});

it.each([
  ['has just changed, often at first', 0, [100, 100, 100, 150, 225, 337.5]],
  ['changed two seconds ago', 2_000, [1_000, 1_500, 2_250, 2_500]],
  ['changed an hour ago, rarely', 3_600_000, [2_500, 2_500, 2_500]],
  ['seems to have changed in the future, by a clock that is wrong', -60_000, [100, 100]],
])('a job that %s is read after half that time', async (_which, age, expected) => {
  const deployment = quietDeployment();
  const job = await deployment.store(aRunningJob());
  let now = START + age;
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    now += milliseconds;
    if (pauses.length === expected.length) await transition(deployment, job, { type: 'cancel' });
  };
  const seen = await waitForChange({ ...deployment, clock: { now: () => now }, pause }, job.id, 25);
  expect(seen).toMatchObject({ status: 'RUNNING', reason: 'cancelling' });
  expect(pauses).toEqual(expected);
  expect(deployment.calls.filter((call) => call instanceof GetCommand)).toHaveLength(1 + expected.length);
});

it('a job that has ended, and a wait of no seconds, are answered after one read', async () => {
  const deployment = quietDeployment();
  const waits: number[] = [];
  const pause = async (milliseconds: number) => void waits.push(milliseconds);
  const ended = await deployment.store(aJob({ status: 'FAILED', reason: 'exited', attempt: 1 }));
  expect(await waitForChange({ ...deployment, pause }, ended.id, 25)).toMatchObject({ status: 'FAILED' });
  const running = await deployment.store(aRunningJob({ id: ended.id.replace(/.$/, '0') }));
  expect(await waitForChange({ ...deployment, pause }, running.id, 0)).toMatchObject({ status: 'RUNNING' });
  expect(waits).toEqual([]);
});
