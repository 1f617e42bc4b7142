import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../../lib/contract/limits.ts';
import { jobIdOfKey } from '../../../../../lib/jobs/lifecycle/job-id.ts';
import { joinedKey, liveChunkKey } from '../../../../../lib/jobs/output/output-keys.ts';
import { type FollowContext, followLogs } from '../../../../../lib/jobs/output/reading/follow-logs.ts';
import { type FollowSlot, FollowSlots } from '../../../../../lib/jobs/output/reading/follow-slots.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../../stand-ins/emulated-deployment.ts';
import { aRunningJob } from '../../a-job.ts';

const COUNT = 3;
const SIZE = 1024 * 1024;
const STDOUT = { stream: 'stdout', attempt: undefined, offset: undefined, lastEventId: undefined } as const;
const RETRY_LATER = 'retry: 2000\n\n';

let deployment: EmulatedDeployment;
/** Milliseconds by which the followers' clock is ahead. */
let ahead: number;
let context: FollowContext;
let slots: FollowSlots;
const held: FollowSlot[] = [];

beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(async () => {
  await Promise.all(held.splice(0).map(async (slot) => await slot.release()));
  ahead = 0;
  const now = deployment.clock.now();
  const clock = { now: () => now + ahead };
  slots = new FollowSlots({ ...deployment.registry, clock, count: COUNT });
  context = {
    jobs: deployment.jobs,
    output: deployment.output,
    clock,
    slots,
    admit: async () => undefined,
    pause: async (milliseconds) => {
      ahead += milliseconds;
      await turn();
    },
  };
});

async function acquire(): Promise<boolean> {
  const slot = await slots.acquire(60_000);
  if (slot !== undefined) held.push(slot);
  return slot !== undefined;
}

async function takeAll(): Promise<void> {
  while (await acquire()) {
    // Until none is left.
  }
}

async function runningJob(name: string) {
  return await deployment.store(aRunningJob({ id: jobIdOfKey(`follow slots ${name}`) }));
}

async function put(key: string, body: string | Buffer): Promise<void> {
  await deployment.objects.send(new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key: key, Body: body }));
}

async function textOf(events: Readable): Promise<string> {
  return (await Array.fromAsync(events)).join('');
}

describe('slots', () => {
  it('are limited, are free again when they are released, and expire when they are not', async () => {
    expect([await acquire(), await acquire(), await acquire(), await acquire()]).toEqual([true, true, true, false]);
    await held.pop()?.release();
    expect([await acquire(), await acquire()]).toEqual([true, false]);
    ahead = 60_001;
    expect(await acquire()).toBe(true);
  });

  it('are not exceeded by functions that ask at the same time', async () => {
    const acquired = await Promise.all(Array.from({ length: 10 }, async () => await acquire()));
    expect(acquired.filter(Boolean).length).toBeLessThanOrEqual(COUNT);
    await takeAll();
    expect(held).toHaveLength(COUNT);
  });

  it('are not freed by their former owner after they expired', async () => {
    await takeAll();
    const former = held.splice(0);
    ahead = 60_001;
    await takeAll();
    for (const slot of former) await slot.release();
    expect(await acquire()).toBe(false);
  });
});

describe('a follow', () => {
  it('releases its slot when its stream ends or is destroyed', async () => {
    const job = await runningJob('back');
    await textOf(followLogs(context, job, STDOUT));
    const destroyed = followLogs(context, job, STDOUT);
    await once(destroyed, 'readable');
    destroyed.destroy();
    await once(destroyed, 'close');
    await takeAll();
    await expect.poll(async () => await acquire().then(() => held.length)).toBe(COUNT);
  });

  it('without a slot sends the available output, and asks its client to retry after a pause', async () => {
    await takeAll();
    const job = await runningJob('polled');
    await put(liveChunkKey(job.id, 1, 'stdout', 0), 'so far');
    const text = await textOf(followLogs(context, job, STDOUT));
    expect(ahead).toBe(0);
    expect(text).toContain('"text":"so far"');
    expect(text.endsWith(RETRY_LATER)).toBe(true);
    // Its mark lasts for its next requests, not for half a minute.
    const { watched_until: until = '' } = (await deployment.jobs.get(job.id, { consistent: true })) ?? {};
    expect(Date.parse(until)).toBe(context.clock.now() + 10_000);
    await put(liveChunkKey(job.id, 1, 'stdout', 6), ', and more');
    const next = await textOf(followLogs(context, job, { ...STDOUT, lastEventId: '6' }));
    expect(next).toContain('"text":", and more"');
  });

  it('of an attempt that has ended needs no slot', async () => {
    await takeAll();
    const job = await deployment.store(
      aRunningJob({ id: jobIdOfKey('follow slots ended'), status: 'SUCCEEDED', reason: 'exited' }),
    );
    await put(joinedKey(job.id, 1, 'stdout'), 'all of it');
    const text = await textOf(followLogs(context, job, STDOUT));
    expect(text).toContain('"text":"all of it"');
    expect(text).toContain('event: end');
    expect(text).not.toContain(RETRY_LATER);
  });

  it('of a long log without a slot continues in parts of some seconds', async () => {
    await takeAll();
    const job = await deployment.store(
      aRunningJob({ id: jobIdOfKey('follow slots long'), status: 'SUCCEEDED', reason: 'exited' }),
    );
    await put(joinedKey(job.id, 1, 'stdout'), Buffer.alloc(SIZE, 'x'));
    let [bytes, parts, lastEventId] = [0, 0, undefined as string | undefined];
    for (let isWhole = false; !isWhole; parts += 1) {
      const startedAt = ahead;
      let text = '';
      for await (const chunk of followLogs(context, job, { ...STDOUT, lastEventId })) {
        text += chunk;
        // The client takes its time.
        ahead += 1_000;
      }
      expect(ahead - startedAt).toBeLessThanOrEqual((LIMITS.follow.passSeconds + 3) * 1000);
      lastEventId = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? lastEventId;
      bytes = Number(lastEventId);
      isWhole = text.includes('event: end');
      expect(text.endsWith(RETRY_LATER)).toBe(!isWhole);
    }
    expect(bytes).toBe(SIZE);
    expect(parts).toBeGreaterThan(1);
  });
});
