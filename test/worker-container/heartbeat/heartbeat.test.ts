import { expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { JobStore } from '../../../lib/jobs/store/job-store.ts';
import { Heartbeat } from '../../../worker-container/heartbeat/heartbeat.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { VirtualTime } from '../../simulation/model/virtual-time.ts';

/** When (ms) another process changes the job. */
const CHANGED_AT = 3_000;

/** The events of a heartbeat within a minute, with their second. */
async function heardInAMinute(
  answer: (time: VirtualTime) => Promise<Job | undefined>,
  look: (time: VirtualTime) => Promise<Job | undefined> = answer,
): Promise<string[]> {
  const time = new VirtualTime();
  const heard: string[] = [];
  const hear = (what: string) => () => heard.push(`${what} at ${time.now / 1000} s`);
  const heartbeat = new Heartbeat({
    jobs: { touch: () => answer(time), get: () => look(time) } as unknown as JobStore,
    clock: { now: () => time.wall },
    job: aRunningJob(),
    timing: { now: () => time.now, schedule: (run, delay) => time.schedule(run, delay) },
    listen: (changed) => time.schedule(changed, CHANGED_AT),
    events: {
      onEndRequested: hear('end'),
      onLost: hear('lost'),
      onWatched: () => undefined,
      onMessages: hear('messages'),
      onBeat: hear('beat'),
      onFailure: (error) => {
        if (error instanceof TypeError) heard.push('a fault');
      },
    },
  });
  await time.run(() => time.now >= 60_000);
  heartbeat.stop();
  return heard;
}

it('extends the lease every 10 s', async () => {
  expect(await heardInAMinute(async () => aRunningJob())).toEqual(
    [10, 20, 30, 40, 50, 60].map((s) => `beat at ${s} s`),
  );
});

it('abandons the attempt, once, after more than 20 s without an acknowledgment', async () => {
  expect(await heardInAMinute(() => Promise.reject(new Error('no answer')))).toEqual(['lost at 22 s']);
});

it('abandons the attempt when a changed job shows another', async () => {
  expect(await heardInAMinute(async () => aRunningJob({ attempt: 2 }))).toEqual(['lost at 3 s']);
});

it('counts from the time when a heartbeat was sent, not answered: so does the lease', async () => {
  const answers = [9_000];
  const late = async (time: VirtualTime) => {
    if (time.now >= 10_000) await time.sleep(answers.shift() ?? 3_600_000);
    return aRunningJob();
  };
  expect(await heardInAMinute(late)).toEqual(['beat at 19 s', 'lost at 32 s']);
});

it('abandons the attempt at the first rejected heartbeat, whatever a read showed', async () => {
  const refused = heardInAMinute(
    async () => undefined,
    async () => aRunningJob(),
  );
  expect(await refused).toEqual(['lost at 10 s']);
});

it('abandons the attempt when a changed job shows that it has ended', async () => {
  expect(await heardInAMinute(async () => aRunningJob({ status: 'CANCELLED' }))).toEqual(['lost at 3 s']);
});

it('reads a changed job again after a read that failed, and not otherwise', async () => {
  let reads = 0;
  const look = async () => {
    reads += 1;
    if (reads === 1) throw new Error('no answer');
    return aRunningJob({ cancel_requested_at: '2026-11-20T10:00:00.000Z' });
  };
  const heard = await heardInAMinute(async () => aRunningJob(), look);
  expect(heard.filter((what) => what.startsWith('end'))).toEqual(['end at 4 s']);
  expect(reads).toBe(2);
});
