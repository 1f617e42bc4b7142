import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptPrefix, joinedKey } from '../../../lib/jobs/output/output-keys.ts';
import { machineTiming, type Timing } from '../../../worker-container/output/timing.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import {
  afterThisTest,
  allOf,
  emulatedS3,
  outputStore,
  persisted,
  sha256,
  ship,
  shipAgents,
  temporaryFolder,
} from '../attempt/shipped-agent.ts';

shipAgents();

test('output can be read while the agent runs, and stays the same when it has ended', async () => {
  const { stdin, exited, shipper, jobId } = await ship('cat; echo problem >&2', {
    // Only what is due within a second or so happens in this test: a second flush, without a live view, would not.
    timing: onlyWithin(1_500),
  });
  stdin.write('one\n');
  await expect.poll(() => persisted(jobId, 'stdout')).toBe('one\n');
  stdin.write('two\n');
  shipper.setWatched(true);
  await expect.poll(() => persisted(jobId, 'stdout')).toBe('one\ntwo\n');
  expect(await emulatedS3().keys(attemptPrefix(jobId, 1))).toEqual([
    `${attemptPrefix(jobId, 1)}stdout/0000000000000000`,
    `${attemptPrefix(jobId, 1)}stdout/0000000000000004`,
  ]);

  stdin.end('three');
  await exited;
  const manifests = await shipper.finish({ complete: true });
  expect(manifests.stdout).toEqual({ bytes: 13, lines: 3, sha256: sha256('one\ntwo\nthree'), complete: true });
  expect(manifests.stderr).toEqual({ bytes: 8, lines: 1, sha256: sha256('problem\n'), complete: true });
  expect(await persisted(jobId, 'stdout')).toBe('one\ntwo\nthree');
  expect(await persisted(jobId, 'stderr')).toBe('problem\n');
  expect(await emulatedS3().keys(attemptPrefix(jobId, 1))).toEqual([
    joinedKey(jobId, 1, 'stderr'),
    joinedKey(jobId, 1, 'stdout'),
  ]);
});

test('16 MiB arrive byte for byte', async () => {
  const folder = await temporaryFolder();
  const received = createHash('sha256');
  const { exited, shipper, jobId } = await ship(
    `cd "${folder}"; head -c 16777216 /dev/urandom > copy; cat copy >&2 & wait $!; cat copy`,
    {
      onData: (stream, chunk) => void (stream === 'stdout' && received.update(chunk)),
    },
  );
  await exited;
  const { stdout, stderr } = await shipper.finish({ complete: true });
  const expected = sha256(await readFile(join(folder, 'copy')));
  expect(stdout).toMatchObject({ bytes: 16_777_216, sha256: expected, complete: true });
  expect(stderr).toEqual(stdout);
  for (const stream of ['stdout', 'stderr'] as const) {
    expect(sha256(await allOf(await outputStore().openStream(jobId, 1, stream)))).toBe(expected);
    expect(sha256(await allOf(shipper.source(stream)))).toBe(expected);
  }
  expect(received.digest('hex')).toBe(expected);
  expect(await emulatedS3().keys(attemptPrefix(jobId, 1))).toHaveLength(2);
});

test('a secret is always masked, however the agent writes it', async () => {
  const { stdin, exited, shipper, jobId } = await ship('cat', {
    redaction: new Redaction(['sk-0123456789']),
  });
  shipper.setWatched(true);
  stdin.write('key: sk-01234');
  await expect.poll(() => persisted(jobId, 'stdout')).toBe('key: ');
  stdin.end('56789, begun: sk-0123');
  await exited;
  await shipper.finish({ complete: true });
  expect(await persisted(jobId, 'stdout')).toBe('key: ***, begun: sk-0123');
});

test('an attempt can be finished while a process that outlived the agent holds its pipes', async () => {
  const { exited, shipper, jobId } = await ship('sleep 1000 & echo $!; head -c 3000000 /dev/zero >&2');
  await exited;
  const { stdout, stderr } = await shipper.finish({ complete: true });
  const pid = Number(await persisted(jobId, 'stdout'));
  afterThisTest(() => process.kill(pid, 'SIGKILL'));
  expect(stdout.complete).toBe(true);
  expect(stderr.bytes).toBe(3_000_000);
  await shipper.ended;
});

test('nothing of an attempt stays on the disk', async () => {
  const spoolDir = await temporaryFolder();
  const { exited, shipper } = await ship('echo hi', { spoolDir });
  await exited;
  await shipper.finish({ complete: true });
  await shipper.dispose();
  expect(await readdir(spoolDir)).toEqual([]);
});

/** Time in which nothing happens that is due after more than `longest` milliseconds. */
function onlyWithin(longest: number): Timing {
  const never = 3_600_000;
  return { ...machineTiming, schedule: (run, delay) => machineTiming.schedule(run, delay > longest ? never : delay) };
}
