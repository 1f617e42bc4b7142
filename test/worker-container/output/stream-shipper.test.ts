import { expect, it } from 'vitest';
import { LIVE_CHUNK_BYTES } from '../../../lib/jobs/output/output-keys.ts';
import type { OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { StreamShipper } from '../../../worker-container/output/stream-shipper.ts';
import { VirtualTime } from '../../simulation/model/virtual-time.ts';

/** Longer than anything waits for being shipped. */
const LONG = 120_000;
const PUT = 1_000;

/** A spool that only counts, and S3 that takes a second for each request; what it was asked for, in order. */
function shipping({ deletes = true } = {}) {
  const time = new VirtualTime();
  const requests: string[] = [];
  let timers = 0;
  const stop = new AbortController();
  const spool = { path: '/spool', bytes: 0, slice: async (from: number, to: number) => Buffer.alloc(to - from) };
  const ask = async (request: string) => {
    await time.sleep(PUT);
    stop.signal.throwIfAborted();
    requests.push(request);
  };
  const shipper = new StreamShipper({
    spool,
    objects: {
      put: async (key: string, body: Uint8Array) => await ask(`put ${key}+${body.length}`),
      uploadFile: async (_key: string, _path: string, bytes: number) => await ask(`join ${bytes}`),
      deleteMany: async (keys: readonly string[]) => {
        await ask(`delete ${keys.join()}`);
        if (!deletes) throw new Error('denied');
      },
    } as unknown as OutputObjects,
    chunkKey: String,
    joinedKey: 'joined',
    timing: {
      now: () => time.now,
      schedule(run, delay) {
        timers += 1;
        const cancel = time.schedule(() => {
          timers -= 1;
          run();
        }, delay);
        return () => {
          timers -= 1;
          cancel();
        };
      },
    },
    signal: stop.signal,
    onFailure: () => undefined,
  });
  const pass = async (milliseconds: number) => {
    const end = time.now + milliseconds;
    // The function that was just called begins with the first event.
    time.schedule(() => undefined, 0);
    time.schedule(() => undefined, milliseconds);
    await time.run(() => time.now >= end);
  };
  const grow = (bytes: number) => {
    spool.bytes += bytes;
    shipper.grown();
  };
  return { shipper, requests, grow, pass, stop, timers: () => timers };
}

it('output that arrives during an upload is shipped too, even if none follows', async () => {
  const { requests, grow, pass } = shipping();
  grow(LIVE_CHUNK_BYTES);
  await pass(PUT / 2);
  grow(7);
  await pass(LONG);
  expect(requests).toEqual([`put 0+${LIVE_CHUNK_BYTES}`, `put ${LIVE_CHUNK_BYTES}+7`]);
});

it('nothing is put beside the joined object', async () => {
  const { shipper, requests, grow, pass } = shipping();
  grow(7);
  void shipper.join();
  await pass(LONG);
  expect(requests).toEqual(['join 7']);
});

it('before a long join the rest can be read, as chunks', async () => {
  const { shipper, requests, grow, pass } = shipping();
  grow(6 * LIVE_CHUNK_BYTES);
  await pass(PUT * 10);
  const known = requests.length;
  grow(7);
  void shipper.join();
  await pass(LONG);
  expect(requests.slice(known)).toEqual([
    `put ${6 * LIVE_CHUNK_BYTES}+7`,
    `join ${6 * LIVE_CHUNK_BYTES + 7}`,
    `delete ${[0, 1, 2, 3, 4, 5, 6].map((n) => n * LIVE_CHUNK_BYTES).join()}`,
  ]);
});

it('as much as a chunk holds is shipped at once, without the timer of what came before', async () => {
  const { requests, grow, pass, timers } = shipping();
  grow(7);
  expect(timers()).toBe(1);
  grow(LIVE_CHUNK_BYTES);
  expect(timers()).toBe(0);
  await pass(1.5 * PUT);
  expect(requests).toEqual([`put 0+${LIVE_CHUNK_BYTES}`]);
  await pass(LONG);
  expect(requests).toEqual([`put 0+${LIVE_CHUNK_BYTES}`, `put ${LIVE_CHUNK_BYTES}+7`]);
});

it('output that arrives during an upload, or near the end, starts no timer', async () => {
  const { shipper, requests, grow, pass, timers } = shipping();
  grow(LIVE_CHUNK_BYTES);
  await pass(PUT / 2);
  grow(7);
  expect(timers()).toBe(0);
  await pass(PUT);
  expect(timers()).toBe(1);
  shipper.settle();
  grow(7);
  expect(timers()).toBe(0);
  await pass(LONG);
  expect(requests).toHaveLength(1);
});

it('a stream that is watched while it is uploaded is uploaded once', async () => {
  const { shipper, requests, grow, pass } = shipping();
  grow(7);
  shipper.setWatched(true);
  grow(7);
  shipper.setWatched(true);
  await pass(LONG);
  expect(requests).toEqual(['put 0+7', 'put 7+7']);
});

/** Whether a promise has been kept once the others have acted. */
async function isKept(promise: Promise<unknown>, pass: (milliseconds: number) => Promise<void>): Promise<boolean> {
  let kept = false;
  void promise.then(() => {
    kept = true;
  });
  await pass(0);
  return kept;
}

it('an agent waits while four chunks are pending, until one is shipped', async () => {
  const { shipper, grow, pass } = shipping();
  grow(4 * LIVE_CHUNK_BYTES - 1);
  expect(await isKept(shipper.room(), pass)).toBe(true);
  grow(1);
  const room = shipper.room();
  expect(await isKept(room, pass)).toBe(false);
  await pass(PUT);
  expect(await isKept(room, pass)).toBe(true);
});

it.each(['settle', 'abort'] as const)('an agent that waits for room does not when all ends: %s', async (how) => {
  const { shipper, grow, pass, stop } = shipping();
  grow(8 * LIVE_CHUNK_BYTES);
  const room = shipper.room();
  expect(await isKept(room, pass)).toBe(false);
  if (how === 'settle') shipper.settle();
  else {
    stop.abort(new Error('the worker must go'));
    // The request that is being answered.
    await pass(PUT);
  }
  expect(await isKept(room, pass)).toBe(true);
  expect(await isKept(shipper.room(), pass)).toBe(true);
});

it('a stream without output is not stored, and says so if all was stopped', async () => {
  const { shipper, requests, stop } = shipping();
  await shipper.join();
  expect(requests).toEqual([]);
  stop.abort(new Error('the worker must go'));
  await expect(shipper.join()).rejects.toThrow('the worker must go');
});

it.each([
  { what: 'short output', chunk: LIVE_CHUNK_BYTES, rest: 7, more: ['delete 0'] },
  { what: 'output without chunks', chunk: 0, rest: 6 * LIVE_CHUNK_BYTES, more: [] },
])('$what is joined without chunks before', async ({ chunk, rest, more }) => {
  const { shipper, requests, grow, pass } = shipping();
  grow(chunk);
  await pass(2 * PUT);
  requests.length = 0;
  shipper.settle();
  grow(rest);
  void shipper.join();
  await pass(LONG);
  expect(requests).toEqual([`join ${chunk + rest}`, ...more]);
});

it('the second flush waits longer than the first', async () => {
  const { requests, grow, pass } = shipping();
  grow(7);
  await pass(1_000 + PUT);
  grow(7);
  await pass(1_500 + PUT);
  expect(requests).toEqual(['put 0+7']);
  await pass(500);
  expect(requests).toEqual(['put 0+7', 'put 7+7']);
});

it('chunks that cannot be deleted stay beside the joined object', async () => {
  const { shipper, requests, grow, pass } = shipping({ deletes: false });
  grow(LIVE_CHUNK_BYTES);
  await pass(2 * PUT);
  const joined = shipper.join();
  await pass(LONG);
  expect(await isKept(joined, pass)).toBe(true);
  expect(requests.slice(2)).toEqual(Array.from({ length: 4 }, () => 'delete 0'));
});

it('output that came during an upload is not shipped apart once the end is near', async () => {
  const { shipper, requests, grow, pass } = shipping();
  grow(LIVE_CHUNK_BYTES);
  await pass(PUT / 2);
  grow(3 * LIVE_CHUNK_BYTES);
  void shipper.join();
  await pass(LONG);
  expect(requests).toEqual([`put 0+${LIVE_CHUNK_BYTES}`, `join ${4 * LIVE_CHUNK_BYTES}`, 'delete 0']);
});
