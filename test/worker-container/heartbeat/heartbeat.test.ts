import { expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { JobStore } from '../../../lib/jobs/store/job-store.ts';
import { Heartbeat } from '../../../worker-container/heartbeat/heartbeat.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { VirtualTime } from '../../simulation/model/virtual-time.ts';

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

it('each heartbeat extends the lease to 30 s from then, with what the agent reported last', async () => {
  const time = new VirtualTime();
  const written: unknown[] = [];
  const read: Job[] = [];
  const touched = aRunningJob({ messages: 1 });
  const touch = async (_job: Job, changes: object) => {
    written.push(changes);
    return touched;
  };
  const heartbeat = new Heartbeat({
    jobs: { touch, get: async () => undefined } as unknown as JobStore,
    clock: { now: () => time.wall },
    job: aRunningJob(),
    progress: () => (written.length === 0 ? undefined : { message: 'half', percent: 50, at: 'now' }) as never,
    timing: { now: () => time.now, schedule: (run, delay) => time.schedule(run, delay) },
    events: {
      ...{ onEndRequested: () => undefined, onLost: () => undefined, onWatched: () => undefined },
      ...{ onBeat: () => undefined, onFailure: () => undefined, onRead: (job) => void read.push(job) },
    },
  });
  await time.run(() => time.now >= 20_000);
  heartbeat.stop();
  const until = (milliseconds: number) => new Date(time.wallAt(milliseconds)).toISOString();
  expect(written).toEqual([
    { lease_until: until(40_000) },
    { lease_until: until(50_000), progress: { message: 'half', percent: 50, at: 'now' } },
  ]);
  expect(read).toEqual([touched, touched]);
});

it('abandons the attempt, once, after more than 20 s without an acknowledgment', async () => {
  expect(await heardInAMinute(() => Promise.reject(new Error('no answer')))).toEqual(['lost at 22 s']);
});

it('abandons the attempt at the first poll that shows another', async () => {
  expect(await heardInAMinute(async () => aRunningJob({ attempt: 2 }))).toEqual(['lost at 2 s']);
});

it('counts from the time when a heartbeat was sent, not answered: so does the lease', async () => {
  const answers = [9_000];
  const late = async (time: VirtualTime) => {
    if (time.now >= 10_000) await time.sleep(answers.shift() ?? 3_600_000);
    return aRunningJob();
  };
  expect(await heardInAMinute(late)).toEqual(['beat at 19 s', 'lost at 32 s']);
});

it('abandons the attempt at the first rejected heartbeat, whatever a poll showed', async () => {
  const refused = heardInAMinute(
    async () => undefined,
    async () => aRunningJob(),
  );
  expect(await refused).toEqual(['lost at 10 s']);
});

it('abandons the attempt at the first poll that shows that it has ended', async () => {
  expect(await heardInAMinute(async () => aRunningJob({ status: 'CANCELLED' }))).toEqual(['lost at 2 s']);
});

it('receives requests with a heartbeat too, and ignores a poll that shows no job', async () => {
  const asked = async () => aRunningJob({ cancel_requested_at: '2026-11-20T10:00:00.000Z' });
  const heard = await heardInAMinute(asked, async () => undefined);
  expect(heard.slice(0, 2)).toEqual(['beat at 10 s', 'end at 10 s']);
  expect(heard).toHaveLength(12);
});

it('reports messages only when the job has accepted further ones, with the next poll or heartbeat', async () => {
  const heard = await heardInAMinute(async (time) => {
    if (time.now < 3_000) return aRunningJob();
    return aRunningJob({ messages: time.now < 9_000 ? 1 : 3 });
  });
  expect(heard.filter((what) => what.startsWith('messages'))).toEqual(['messages at 4 s', 'messages at 10 s']);
});

it('asks nothing while an answer is due, and says that a call failed', async () => {
  const asked: string[] = [];
  const slow = (what: string) => async (time: VirtualTime) => {
    asked.push(`${what} at ${time.now / 1000} s`);
    await time.sleep(5_000);
    throw new TypeError('no answer');
  };
  const heard = await heardInAMinute(slow('write'), slow('read'));
  expect(asked).toEqual(['read at 2 s', 'read at 8 s', 'write at 14 s', 'write at 20 s']);
  expect(heard).toEqual(['a fault', 'a fault', 'a fault', 'lost at 22 s', 'a fault']);
});

it('reports whether the job has a live view, as long as its record says so', async () => {
  const time = new VirtualTime();
  const watched: [number, boolean][] = [];
  const watched_until = new Date(time.wallAt(5_000)).toISOString();
  const heartbeat = new Heartbeat({
    jobs: { get: async () => aRunningJob({ watched_until }) } as unknown as JobStore,
    clock: { now: () => time.wall },
    job: aRunningJob(),
    timing: { now: () => time.now, schedule: (run, delay) => time.schedule(run, delay) },
    events: {
      onEndRequested: () => undefined,
      onLost: () => undefined,
      onWatched: (is) => watched.push([time.now / 1000, is]),
      onBeat: () => undefined,
      onFailure: () => undefined,
    },
  });
  await time.run(() => time.now >= 8_000);
  heartbeat.stop();
  expect(watched).toEqual([
    [2, true],
    [4, true],
    [6, false],
    [8, false],
  ]);
});
