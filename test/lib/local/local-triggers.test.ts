import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { intervalsOf, startCallsAndSweeps, startReconciling } from '../../../lib/local/local-triggers.ts';
import { Shutdown } from '../../../lib/local/run/shutdown.ts';

interface Call {
  readonly id: string;
  readonly event: unknown;
  /** Milliseconds. */
  readonly limit: number;
}

/** What the triggers of a run need, whose tables and queues nothing answers for. */
function aRun(settings: { watchSeconds?: number; sweepSeconds?: number } = {}) {
  const calls: Call[] = [];
  const trimmed: unknown[] = [];
  const scanned: unknown[] = [];
  const shutdown = new Shutdown([['service', 10_000]], () => undefined);
  const context = {
    load: async (id: string) => async (event: unknown, about: Context) => {
      calls.push({ id, event, limit: Math.round(about.getRemainingTimeInMillis() / 1_000) });
      return await Promise.resolve({});
    },
    counts: { checkpoint: async (shard: string) => await Promise.resolve(`after ${shard}`) },
    endpoints: {
      ...{ dynamodb: 'http://127.0.0.1:1', objectsAndQueues: 'http://127.0.0.1:1' },
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    },
    resources: { jobsTable: 'Jobs', registryTable: 'Registry', deliveriesUrl: 'http://127.0.0.1:1/d' },
    registry: {
      table: {
        send: async ({ input }: { input: { TableName: string } }) => {
          scanned.push(input.TableName);
          return await Promise.resolve({});
        },
      },
    },
    settings,
    tables: {
      trimStream: async ({ table, counted }: { table: string; counted: (shard: string) => Promise<string> }) => {
        trimmed.push([table, await counted('s')]);
      },
    },
    shutdown,
    log: () => undefined,
  } as unknown as Parameters<typeof startReconciling>[0];
  return { context, calls, trimmed, scanned, shutdown };
}

test('the reconciler runs at once, which sends waiting jobs again, and then as often as is set', async () => {
  const { context, calls, shutdown } = aRun({ watchSeconds: 0.001 });
  startReconciling(context);
  await expect.poll(() => calls.length, { interval: 5 }).toBeGreaterThan(2);
  await shutdown.run();
  const again = { id: 'triggers.reconcile-jobs', event: { redrive: false }, limit: 60 };
  expect(calls.slice(0, 3)).toEqual([{ ...again, event: { redrive: true } }, again, again]);
  const ended = calls.length;
  await new Promise(setImmediate);
  expect(calls.length).toBe(ended);
});

test('what has expired goes at once and then as often as is set, with the counted records of the stream', async () => {
  const { context, calls, trimmed, scanned, shutdown } = aRun({ sweepSeconds: 0.001 });
  startCallsAndSweeps(context);
  await expect
    .poll(() => [calls.length, trimmed.length, scanned.length].every((n) => n > 1), { interval: 5 })
    .toBe(true);
  await shutdown.run();
  expect(calls[0]).toEqual({ id: 'triggers.sweep-jobs', event: {}, limit: 900 });
  expect([trimmed[0], scanned[0]]).toEqual([['Jobs', 'after s'], 'Registry']);
});

test('by default the reconciler runs each minute, the second time once leases have ended, and sweeps each hour', () => {
  const intervals = (watchSeconds?: number, sweepSeconds?: number) =>
    Object.values(intervalsOf({ watchSeconds, sweepSeconds }));
  expect([intervals(), intervals(5, 7)]).toEqual([
    [60_000, 32_000, 3_600_000],
    [5_000, 5_000, 7_000],
  ]);
});
