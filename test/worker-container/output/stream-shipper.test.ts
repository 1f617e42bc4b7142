import { expect, it } from 'vitest';
import { LIVE_CHUNK_BYTES } from '../../../lib/jobs/output/output-keys.ts';
import type { OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { StreamShipper } from '../../../worker-container/output/stream-shipper.ts';
import { VirtualTime } from '../../simulation/model/virtual-time.ts';

/** Longer than anything waits for being shipped. */
const LONG = 120_000;
const PUT = 1_000;

/** A spool that only counts, and S3 that takes a second for each request; what it was asked for, in order. */
function shipping() {
  const time = new VirtualTime();
  const requests: string[] = [];
  const spool = { path: '/spool', bytes: 0, slice: async (from: number, to: number) => Buffer.alloc(to - from) };
  const ask = async (request: string) => {
    await time.sleep(PUT);
    requests.push(request);
  };
  const shipper = new StreamShipper({
    spool,
    objects: {
      put: async (key: string, body: Uint8Array) => await ask(`put ${key}+${body.length}`),
      uploadFile: async (_key: string, _path: string, bytes: number) => await ask(`join ${bytes}`),
      deleteMany: async (keys: readonly string[]) => await ask(`delete ${keys.join()}`),
    } as unknown as OutputObjects,
    chunkKey: String,
    joinedKey: 'joined',
    timing: { now: () => time.now, schedule: (run, delay) => time.schedule(run, delay) },
    signal: new AbortController().signal,
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
  return { shipper, requests, grow, pass };
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
