import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptPrefix, joinedKey, LIVE_CHUNK_BYTES } from '../../../lib/jobs/output/output-keys.ts';
import type { StreamName } from '../../../lib/jobs/receipts/receipt.ts';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { machineTiming, type Timing } from '../../../worker-container/output/timing.ts';
import type { Fault } from '../../stand-ins/emulated-s3-faults.ts';
import {
  afterThisTest,
  emulatedS3,
  outputStore,
  persisted,
  sha256,
  ship,
  shipAgents,
  temporaryFolder,
} from '../attempt/shipped-agent.ts';

shipAgents();

test('an object store that fails repeatedly loses nothing', async () => {
  // However few calls are made, the first alone fail three times; never so often in a row that it is given up.
  const faults: Fault[] = ['refused', 'lost', 'unanswered', 'none', 'refused', 'none', 'lost', 'none'];
  let calls = 0;
  let failures = 0;
  const { exited, shipper, jobId } = await ship('seq 1 600000', { onFailure: () => void failures++ }, () => {
    calls += 1;
    return faults[(calls - 1) % faults.length] ?? 'none';
  });
  await exited;
  const { stdout } = await shipper.finish({ complete: true });
  const expected = Array.from({ length: 600_000 }, (_, i) => `${i + 1}\n`).join('');
  expect(stdout).toEqual({ bytes: expected.length, lines: 600_000, sha256: sha256(expected), complete: true });
  expect((await persisted(jobId, 'stdout')) === expected).toBe(true);
  expect(await emulatedS3().keys(attemptPrefix(jobId, 1))).toEqual([joinedKey(jobId, 1, 'stdout')]);
  expect(failures).toBeGreaterThanOrEqual(3);
});

test('a slow object store blocks the agent', async () => {
  const opened = Promise.withResolvers<void>();
  let acknowledged = 0;
  let kept = 0;
  let longestBacklog = 0;
  let longestChunk = 0;
  const objects = s3OutputObjects(emulatedS3().client, emulatedS3().bucket);
  const { exited, shipper, jobId } = await ship('head -c 20000000 /dev/zero', {
    objects: {
      ...objects,
      async put(key, body, signal) {
        await opened.promise;
        await objects.put(key, body, signal);
        acknowledged += body.length;
        longestChunk = Math.max(longestChunk, body.length);
      },
    },
    onData(_, chunk) {
      kept += chunk.length;
      longestBacklog = Math.max(longestBacklog, kept - acknowledged);
    },
  });
  await expect.poll(() => kept).toBeGreaterThanOrEqual(4 * LIVE_CHUNK_BYTES);
  opened.resolve();
  await shipper.ended;
  expect(longestBacklog).toBeLessThan(4 * LIVE_CHUNK_BYTES + 131_072);
  expect(longestChunk).toBe(LIVE_CHUNK_BYTES);
  expect((await shipper.finish({ complete: true })).stdout.bytes).toBe(20_000_000);
  expect((await outputStore().openStream(jobId, 1, 'stdout')).size).toBe(20_000_000);
  expect(await exited).toEqual([0, null]);
});

test('output above the limit is reported once and not stored', async () => {
  const limits: string[] = [];
  const { exited, shipper, jobId } = await ship('seq 1 100000; echo fine >&2', {
    outputBytes: 1_000,
    onLimit: (stream) => limits.push(stream),
  });
  await exited;
  const { stdout, stderr } = await shipper.finish({ complete: true });
  expect(limits).toEqual(['stdout']);
  expect(stdout).toMatchObject({ bytes: 1_000, complete: false });
  expect(stderr).toMatchObject({ bytes: 5, complete: true });
  expect(await persisted(jobId, 'stdout')).toHaveLength(1_000);
});

test('output of exactly the limit is complete', async () => {
  const { exited, shipper } = await ship('printf 0123456789', {
    outputBytes: 10,
    onLimit: () => expect.unreachable(),
  });
  await exited;
  expect((await shipper.finish({ complete: true })).stdout).toMatchObject({ bytes: 10, lines: 1, complete: true });
});

test('an attempt can be finished although its pipes never become silent', async () => {
  // Each line triggers the next read of the pipes: there is always new output, even on a slow machine.
  const looks: (() => void)[] = [];
  const timing: Timing = {
    ...machineTiming,
    schedule(run, delay) {
      if (delay > 100) return machineTiming.schedule(run, delay);
      looks.push(run);
      return () => undefined;
    },
  };
  const onData = (stream: StreamName) => {
    if (stream !== 'stdout') return;
    setImmediate(() => {
      for (const run of looks.splice(0)) run();
    });
  };
  const script = 'while :; do echo on and on; sleep 0.005; done & echo $! >&2';
  const { exited, shipper, jobId } = await ship(script, { timing, onData });
  await exited;
  const { stdout, stderr } = await shipper.finish({ complete: true });
  const pid = Number(await persisted(jobId, 'stderr'));
  afterThisTest(() => process.kill(pid, 'SIGKILL'));
  expect(stderr.complete).toBe(true);
  expect(stdout.complete).toBe(false);
  expect(stdout.bytes).toBeGreaterThan(0);
});

test('finishing can be aborted; output that was shipped before stays readable', async () => {
  let refuse = false;
  const { stdin, exited, shipper, jobId } = await ship('cat', {}, () => (refuse ? 'refused' : 'none'));
  stdin.write('shipped\n');
  await expect.poll(() => persisted(jobId, 'stdout')).toBe('shipped\n');
  refuse = true;
  stdin.end('not shipped\n');
  await exited;
  const reason = new Error('the worker must go');
  const giveUp = new AbortController();
  const finished = shipper.finish({ complete: true, signal: giveUp.signal });
  setImmediate(() => giveUp.abort(reason));
  await expect(finished).rejects.toBe(reason);
  expect(await persisted(jobId, 'stdout')).toBe('shipped\n');
});

test('a full disk stops the storing, not the agent', async () => {
  const spoolDir = await temporaryFolder();
  await symlink('/dev/full', join(spoolDir, 'stdout'));
  const errors: unknown[] = [];
  const { exited, shipper } = await ship('head -c 1000000 /dev/zero; echo still here >&2', {
    spoolDir,
    onError: (stream, error) => errors.push(stream, error),
  });
  await exited;
  const { stdout, stderr } = await shipper.finish({ complete: true });
  expect(errors).toEqual(['stdout', expect.objectContaining({ code: 'ENOSPC' })]);
  expect(stdout).toMatchObject({ bytes: 0, complete: false });
  expect(stderr).toMatchObject({ bytes: 11, complete: true });
});
