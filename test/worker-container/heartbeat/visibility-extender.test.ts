import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it } from 'vitest';
import type { DispatchQueues } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import { VisibilityExtender } from '../../../worker-container/heartbeat/heartbeat.ts';

const held = { message: { v: 1, band: 'normal', project: 'p', job: 'j' }, handle: 'h', receives: 1 } as const;

/** What an extender does to its message; `fails`: every call to the queue fails. */
function openExtender({ fails = false } = {}) {
  let now = 0;
  const done: string[] = [];
  const note = async (what: string) => {
    done.push(what);
    if (fails) throw new Error('the queue is away');
  };
  const dispatchQueues = {
    extend: (_: unknown, seconds: number) => note(`extended by ${seconds} s`),
    acknowledge: () => note('acknowledged'),
  };
  const timing = { now: () => now, schedule: () => () => undefined };
  const log = new Logger({ serviceName: 'test', logLevel: 'SILENT' });
  const extender = new VisibilityExtender(dispatchQueues as unknown as DispatchQueues, held, log, timing);
  const pass = (hours: number) => {
    now += hours * 3_600_000;
  };
  return { extender, done, pass };
}

it('a message stays in flight with each heartbeat, and is acknowledged before SQS returns it', async () => {
  const { extender, done, pass } = openExtender();
  await extender.extend();
  pass(11);
  await extender.extend();
  pass(0.01);
  await extender.extend();
  await extender.extend();
  await extender.acknowledge();
  expect(done).toEqual(['extended by 40 s', 'extended by 40 s', 'acknowledged']);
});

it('a failing queue does not fail the attempt', async () => {
  const { extender, done } = openExtender({ fails: true });
  await extender.extend();
  await extender.acknowledge();
  expect(done).toEqual(['extended by 40 s', 'acknowledged']);
});
