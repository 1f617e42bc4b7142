import { expect, test } from 'vitest';
import { attemptPrefix, joinedKey, LIVE_CHUNK_BYTES } from '../../../lib/jobs/output/output-keys.ts';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';
import type { Fault } from '../../stand-ins/emulated-s3-faults.ts';
import { emulatedS3, outputStore, persisted, sha256, ship, shipAgents } from '../attempt/shipped-agent.ts';

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
