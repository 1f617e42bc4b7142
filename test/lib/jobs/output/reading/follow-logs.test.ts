import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../../lib/contract/errors.ts';
import { LIMITS } from '../../../../../lib/contract/limits.ts';
import type { Job } from '../../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../../lib/jobs/lifecycle/job-id.ts';
import { joinedKey, liveChunkKey } from '../../../../../lib/jobs/output/output-keys.ts';
import { type FollowContext, followLogs } from '../../../../../lib/jobs/output/reading/follow-logs.ts';
import { FollowSlots } from '../../../../../lib/jobs/output/reading/follow-slots.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../../stand-ins/emulated-deployment.ts';
import { aRunningJob } from '../../a-job.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

/** A follower whose pauses take no time but the clock's. */
function follower(differences: Partial<FollowContext> = {}) {
  let now = deployment.clock.now();
  const pauses: number[] = [];
  const clock = { now: () => now };
  const context: FollowContext = {
    jobs: deployment.jobs,
    output: deployment.output,
    clock,
    slots: new FollowSlots({ ...deployment.registry, clock, count: LIMITS.follow.streams.default }),
    pause: async (milliseconds) => {
      pauses.push(now);
      now += milliseconds;
      await turn();
    },
    admit: async () => undefined,
    ...differences,
  };
  return { context, pauses, startedAt: now, now: () => now };
}

async function runningJob(name: string): Promise<Job> {
  return await deployment.store(aRunningJob({ id: jobIdOfKey(`follow test ${name}`) }));
}

async function put(key: string, body: string | Buffer): Promise<void> {
  await deployment.objects.send(new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key: key, Body: body }));
}

const RETRY = 'retry: 0\n\n';
const STDOUT = { stream: 'stdout', attempt: undefined, offset: undefined, lastEventId: undefined } as const;

async function textOf(events: Readable): Promise<string> {
  return (await Array.fromAsync(events)).join('');
}

describe('following a job without output', () => {
  it('is kept open by comments, keeps the live view fresh, and closes within a minute without a last event', async () => {
    const job = await runningJob('silent');
    let marks = 0;
    const jobs = Object.assign(Object.create(deployment.jobs), {
      get: deployment.jobs.get.bind(deployment.jobs),
      touch: async (...change: Parameters<typeof deployment.jobs.touch>) => {
        marks += 1;
        return await deployment.jobs.touch(...change);
      },
    });
    const { context, startedAt, now } = follower({ jobs });
    const text = await textOf(followLogs(context, job, STDOUT));
    const seconds = (now() - startedAt) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(LIMITS.follow.seconds);
    expect(seconds).toBeLessThan(LIMITS.follow.seconds + 1);
    expect(seconds).toBeLessThanOrEqual(60);
    // An EventSource asks again at once.
    expect(text.startsWith(RETRY)).toBe(true);
    const comments = text.slice(RETRY.length);
    expect(comments.replaceAll(':\n\n', '')).toBe('');
    expect(comments.length / 3).toBeGreaterThanOrEqual(seconds / LIMITS.follow.silenceSeconds - 1);
    // A mark holds for 30 s and is renewed when half of it is over.
    expect(marks).toBeGreaterThanOrEqual(seconds / 20);
    expect(marks).toBeLessThan(1 + seconds / 14);
    // Only another request of the follower extends it.
    const { watched_until: until = '' } = (await deployment.jobs.get(job.id, { consistent: true })) ?? {};
    const endsAt = startedAt + LIMITS.follow.seconds * 1000;
    expect(Date.parse(until)).toBeGreaterThanOrEqual(endsAt);
    expect(Date.parse(until)).toBeLessThanOrEqual(endsAt + LIMITS.follow.pollSeconds * 1000);
  });

  it('authorizes the follower again at least every 5 s, and ends when access is denied', async () => {
    const job = await runningJob('refused');
    const admitted: number[] = [];
    const { context, startedAt, now } = follower();
    const admit = async () => {
      admitted.push((now() - startedAt) / 1000);
      if (admitted.length === 3) throw ApiError.of('unauthorized');
    };
    const text = await textOf(followLogs({ ...context, admit }, job, STDOUT));
    expect(text).toBe(`${RETRY}event: error\ndata: {"error":"unauthorized"}\n\n`);
    expect(admitted).toHaveLength(3);
    for (const [at, second] of admitted.entries()) expect(second - (admitted[at - 1] ?? 0)).toBeLessThanOrEqual(5);
  });

  it('stops when its reader disconnects', async () => {
    const job = await runningJob('gone');
    const { context, pauses } = follower();
    const events = followLogs(context, job, STDOUT);
    await once(events, 'readable');
    events.destroy();
    await once(events, 'close');
    const paused = pauses.length;
    for (let n = 0; n < 50; n += 1) await turn();
    expect(pauses).toHaveLength(paused);
  });
});

it('a stream with a gap ends before it with a notice, at every offset of the follower', async () => {
  const job = await deployment.store(
    aRunningJob({ id: jobIdOfKey('follow test gap'), status: 'FAILED', reason: 'worker_lost', lease_until: undefined }),
  );
  await put(liveChunkKey(job.id, 1, 'stdout', 0), 'abcd');
  await put(liveChunkKey(job.id, 1, 'stdout', 8), 'ijkl');
  const follow = async (offset: number | undefined) => {
    const text = await textOf(followLogs(follower().context, job, { ...STDOUT, offset }));
    const [, data = ''] = /event: end\ndata: (.*)/.exec(text) ?? [];
    return [text.includes('"text":"abcd"'), JSON.parse(data).stdout_state];
  };
  expect(await follow(undefined)).toEqual([true, 'truncated']);
  expect(await follow(2_000_000)).toEqual([false, 'truncated']);
  const first = { Bucket: deployment.env.OUTPUT_BUCKET, Key: liveChunkKey(job.id, 1, 'stdout', 0) };
  await deployment.objects.send(new DeleteObjectCommand(first));
  expect(await follow(undefined)).toEqual([false, 'missing']);
});

it('output is read no faster than the reader takes it', async () => {
  const job = await deployment.store({
    ...aRunningJob({ id: jobIdOfKey('follow test slow'), status: 'SUCCEEDED', reason: 'exited' }),
  });
  const size = 8 * 1024 * 1024;
  await put(joinedKey(job.id, 1, 'stdout'), Buffer.alloc(size, 'x'));
  let read = 0;
  const output = Object.assign(Object.create(deployment.output), {
    readReceipt: deployment.output.readReceipt.bind(deployment.output),
    openStream: async (...stream: Parameters<typeof deployment.output.openStream>) => {
      const source = await deployment.output.openStream(...stream);
      return {
        size: source.size,
        async *read(from?: number, to?: number) {
          for await (const chunk of source.read(from, to)) {
            read += chunk.length;
            yield chunk;
          }
        },
      };
    },
  });
  const { context } = follower({ output });
  const events = followLogs(context, job, STDOUT);
  await once(events, 'readable');
  for (let n = 0; n < 100; n += 1) await turn();
  expect(read).toBeLessThan(1024 * 1024);
  let sent = 0;
  for await (const chunk of events) sent += chunk.length;
  expect(read).toBe(size);
  expect(sent).toBeGreaterThan(size);
});

it('a stream that is joined while it is followed continues at the same offset', async () => {
  const job = await runningJob('joined');
  await put(liveChunkKey(job.id, 1, 'stdout', 0), 'one ');
  await put(liveChunkKey(job.id, 1, 'stdout', 4), 'two ');
  const { context } = follower();
  let looks = 0;
  const pause = async () => {
    looks += 1;
    if (looks === 1) await put(joinedKey(job.id, 1, 'stdout'), 'one two three');
    if (looks === 2) await deployment.jobs.apply(job, { ...job, status: 'SUCCEEDED', reason: 'exited' });
  };
  const text = await textOf(followLogs({ ...context, pause }, job, STDOUT));
  const pieces = [...text.matchAll(/"text":"(.*?)"/g)].map(([, piece]) => piece);
  expect(pieces.join('')).toBe('one two three');
  expect(text).toContain('"status":"SUCCEEDED"');
});
