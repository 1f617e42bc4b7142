import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkHealth, type HealthContext } from '../../../lib/stats/check-health.ts';

const COUNTS = { DRAFT: 0, QUEUED: 1, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 };
const answering = {
  counts: { read: async () => COUNTS },
  dispatchQueues: { check: async () => undefined },
  objects: { send: async () => ({}) },
  bucket: 'output',
  workers: { count: async () => 2 },
} as unknown as HealthContext;

it('a service whose parts answer is well', async () => {
  const { status, checks, counts } = await checkHealth(answering);
  expect([status, checks.workers, counts]).toEqual(['ok', { status: 'ok', live: 2 }, COUNTS]);
});

it('a database whose disk takes no writes is a fault, though it can be read', async () => {
  const home = await mkdtemp(join(tmpdir(), 'promptq-health-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  // Where a folder is expected.
  await writeFile(join(home, 'dynamodb'), '');
  const { status, checks, counts } = await checkHealth({ ...answering, home });
  expect([status, checks.table.status, checks.storage.status, counts]).toEqual(['degraded', 'failed', 'ok', COUNTS]);
});

it.each([
  ['queues', { dispatchQueues: { check: () => Promise.reject(new Error('gone')) } }],
  ['storage', { objects: { send: () => Promise.reject(new Error('gone')) } }],
  ['workers', { workers: { count: () => Promise.reject(new Error('gone')) } }],
  ['table', { counts: { read: () => Promise.reject(new Error('gone')) } }],
])('a fault of %s is reported, and the other parts are still looked at', async (part, more) => {
  const { status, checks } = await checkHealth({ ...answering, ...(more as unknown as Partial<HealthContext>) });
  expect(status).toBe('degraded');
  const failed = Object.entries(checks).filter(([, check]) => check.status === 'failed');
  expect(failed.map(([name]) => name)).toEqual([part]);
});
