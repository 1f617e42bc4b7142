import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DiskFullError } from '../../../lib/platform/operations/probe-disk.ts';
import { checkHealth, type HealthContext } from '../../../lib/stats/check-health.ts';

const COUNTS = { DRAFT: 0, QUEUED: 1, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 };
const answering = {
  counts: { read: async () => COUNTS },
  dispatchQueues: { check: async () => undefined },
  objects: { send: async () => ({}) },
  bucket: 'output',
  workers: { count: async () => 2 },
} as unknown as HealthContext;

it.each([
  ['dynamodb', 'table'],
  ['s3', 'storage'],
  ['worker', 'workers'],
  ['workspaces', 'workers'],
])('a disk that takes no writes to %s is a fault of %s, though all can be read', async (folder, part) => {
  const home = await mkdtemp(join(tmpdir(), 'promptq-health-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  // Where a folder is expected.
  await writeFile(join(home, folder), '');
  const { status, checks, counts } = await checkHealth({ ...answering, home });
  const failed = Object.entries(checks).filter(([, check]) => check.status === 'failed');
  expect([status, failed.map(([name]) => name), counts]).toEqual(['degraded', [part], COUNTS]);
});

it.each([
  [new DiskFullError('the objects', undefined), 'The disk of the objects is full: make room on it.'],
  [new TypeError('secret words'), 'It did not answer as it should (TypeError).'],
  ['no error', 'It did not answer as it should (unknown fault).'],
])('a full disk is named, and the words of other faults are not shown: %s', async (fault, message) => {
  const objects = { send: () => Promise.reject(fault) } as unknown as HealthContext['objects'];
  const { checks } = await checkHealth({ ...answering, objects });
  expect(checks.storage).toEqual({ status: 'failed', message });
});

it('a part that gives no answer for five seconds has failed, and the counts are zero', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const counts = { read: () => new Promise(() => undefined) } as unknown as HealthContext['counts'];
  let health: Awaited<ReturnType<typeof checkHealth>> | undefined;
  void checkHealth({ ...answering, counts }).then((answer) => {
    health = answer;
  });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(health).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(health?.checks.table).toEqual({
    status: 'failed',
    message: 'It did not answer as it should (TimeoutError).',
  });
  expect(health?.counts).toEqual({ ...COUNTS, QUEUED: 0 });
});
