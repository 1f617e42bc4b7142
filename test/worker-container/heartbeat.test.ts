import { expect, it } from 'vitest';
import type { Job } from '../../lib/jobs/job.ts';
import type { JobStore } from '../../lib/jobs/job-store.ts';
import { Heartbeat } from '../../worker-container/heartbeat.ts';
import { aRunningJob } from '../lib/jobs/a-job.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';

/** What a heartbeat tells within a minute, with the second in which it does. */
async function heardInAMinute(answer: () => Promise<Job>): Promise<string[]> {
  const time = new VirtualTime();
  const heard: string[] = [];
  const hear = (what: string) => () => heard.push(`${what} at ${time.now / 1000} s`);
  const heartbeat = new Heartbeat({
    jobs: { touch: answer, get: answer } as unknown as JobStore,
    clock: { now: () => time.wall },
    job: aRunningJob(),
    timing: { now: () => time.now, schedule: (run, delay) => time.schedule(run, delay) },
    events: {
      onEndRequested: hear('end'),
      onLost: hear('lost'),
      onWatched: () => undefined,
      onBeat: hear('beat'),
      onFailure: () => undefined,
    },
  });
  await time.run(() => time.now >= 60_000);
  heartbeat.stop();
  return heard;
}

it('pushes the lease every 10 s', async () => {
  expect(await heardInAMinute(async () => aRunningJob())).toEqual(
    [10, 20, 30, 40, 50, 60].map((s) => `beat at ${s} s`),
  );
});

it('gives the attempt up, once, when nothing was acknowledged for more than 20 s', async () => {
  expect(await heardInAMinute(() => Promise.reject(new Error('no answer')))).toEqual(['lost at 22 s']);
});

it('gives the attempt up with the first look that shows another', async () => {
  expect(await heardInAMinute(async () => aRunningJob({ attempt: 2 }))).toEqual(['lost at 2 s']);
});
