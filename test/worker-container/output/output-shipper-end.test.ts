import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { LIVE_CHUNK_BYTES } from '../../../lib/jobs/output/output-keys.ts';
import type { OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { OutputShipper, type OutputShipperOptions } from '../../../worker-container/output/output-shipper.ts';
import { machineTiming, type Timing } from '../../../worker-container/output/timing.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { countedTimers } from './counted-timers.ts';

/** A shipper of two pipes, and how many of its timers are left. @param put how the object store takes a chunk */
async function shipping(put: OutputObjects['put'], options: Partial<OutputShipperOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const spoolDir = join(folder, 'attempt', 'output');
  const { schedule, timers } = countedTimers(machineTiming.schedule);
  const timing = { now: machineTiming.now, schedule };
  const pipes = { stdout: new PassThrough(), stderr: new PassThrough() };
  const uploads: string[] = [];
  const objects: OutputObjects = {
    put,
    uploadFile: async (key) => void uploads.push(key),
    deleteMany: async () => undefined,
  };
  const about = { jobId: 'job_1', attempt: 1, pipes, spoolDir, objects, redaction: new Redaction(), timing };
  const shipper = await OutputShipper.start({ ...about, ...options });
  onTestFinished(async () => {
    await shipper.dispose();
    await rm(folder, { recursive: true });
  });
  return { shipper, pipes, spoolDir, timers, uploads };
}

const nothing = async () => undefined;

it('the folder of the output is made for the worker alone', async () => {
  const { spoolDir } = await shipping(nothing);
  expect((await stat(spoolDir)).mode & 0o777).toBe(0o700);
});

it('everything that is written is passed on as it is, and masked where it is stored', async () => {
  const heard: string[] = [];
  const onData: OutputShipperOptions['onData'] = (stream, chunk) => void heard.push(`${stream} ${chunk}`);
  const { shipper, pipes } = await shipping(nothing, { redaction: new Redaction(['a-secret-word']), onData });
  pipes.stdout.end('a-secret-word');
  await expect.poll(() => heard, { interval: 5 }).toEqual(['stdout a-secret-word']);
  pipes.stderr.end('a complaint');
  await shipper.ended;
  expect(heard).toEqual(['stdout a-secret-word', 'stderr a complaint']);
  expect(await buffer(shipper.source('stdout').read())).toEqual(Buffer.from('***'));
});

it('output is shipped at once when someone begins to read along', async () => {
  const put = Promise.withResolvers<string>();
  const never = 3_600_000;
  const timing: Timing = {
    now: machineTiming.now,
    schedule: (run, delay) => machineTiming.schedule(run, delay > 100 ? never : delay),
  };
  const { shipper, pipes } = await shipping(async (_key, body) => put.resolve(body.toString()), { timing });
  pipes.stdout.write('hello');
  await expect.poll(() => shipper.source('stdout').size, { interval: 5 }).toBe(5);
  shipper.setWatched(true);
  expect(await put.promise).toBe('hello');
});

it('what is given up while it is joined stops', async () => {
  const begun = Promise.withResolvers<undefined>();
  const uploadFile: OutputObjects['uploadFile'] = async (_key, _path, _bytes, signal) => {
    begun.resolve(undefined);
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const objects = { put: nothing, uploadFile, deleteMany: nothing };
  const { shipper, pipes } = await shipping(nothing, { objects });
  pipes.stdout.end('output');
  const stop = new AbortController();
  const finished = shipper.finish({ complete: true, signal: stop.signal });
  await begun.promise;
  stop.abort(new Error('the worker must go'));
  await expect(finished).rejects.toThrow('the worker must go');
});

it('output that waits for an object store is read to its end before that answers', async () => {
  const answer = Promise.withResolvers<undefined>();
  const { shipper, pipes, uploads } = await shipping(async () => await answer.promise);
  pipes.stdout.end(Buffer.alloc(12 * LIVE_CHUNK_BYTES));
  pipes.stderr.end();
  const finished = shipper.finish({ complete: true });
  await shipper.ended;
  answer.resolve(undefined);
  expect(await finished).toMatchObject({ stdout: { bytes: 12 * LIVE_CHUNK_BYTES, complete: true } });
  expect(uploads).toHaveLength(1);
});

it('what is to be given up from its beginning is not joined, and no signal is listened to for longer', async () => {
  const aborted = AbortSignal.abort(new Error('the worker must go'));
  const { shipper, pipes, uploads } = await shipping(nothing);
  pipes.stdout.end('output');
  await expect(shipper.finish({ complete: true, signal: aborted })).rejects.toThrow('the worker must go');
  expect(uploads).toEqual([]);
  const { signal } = new AbortController();
  const other = await shipping(nothing);
  for (const pipe of [other.pipes.stdout, other.pipes.stderr]) pipe.end();
  await other.shipper.finish({ complete: true, signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('a shipper that is disposed of stops its uploads, and leaves no pipe, timer or file behind', async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const put: OutputObjects['put'] = async (_key, _body, signal) => {
    begun.resolve(signal);
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const { shipper, pipes, spoolDir, timers } = await shipping(put);
  pipes.stdout.write(Buffer.alloc(2 * LIVE_CHUNK_BYTES));
  pipes.stderr.write('a complaint');
  const signal = await begun.promise;
  await expect.poll(() => timers.size, { interval: 5 }).toBe(1);
  await shipper.dispose();
  expect(signal.aborted).toBe(true);
  expect([pipes.stdout.destroyed, pipes.stderr.destroyed, timers.size]).toEqual([true, true, 0]);
  expect([existsSync(join(spoolDir, 'stdout')), existsSync(join(spoolDir, 'stderr'))]).toEqual([false, false]);
});
