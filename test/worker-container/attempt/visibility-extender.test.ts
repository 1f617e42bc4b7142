import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it } from 'vitest';
import type { DispatchQueues } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import { VisibilityExtender } from '../../../worker-container/attempt/visibility-extender.ts';

const held = { message: { v: 1, band: 'normal', project: 'p', job: 'j' }, handle: 'h', receives: 1 } as const;

/** What a keeper does to its permit; `fails`: the queue never answers well. */
function keeper({ fails = false } = {}) {
  let now = 0;
  const done: string[] = [];
  const note = async (what: string) => {
    done.push(what);
    if (fails) throw new Error('the queue is away');
  };
  const dispatchQueues = {
    extend: (_: unknown, seconds: number) => note(`kept for ${seconds} s`),
    drop: () => note('dropped'),
  };
  const timing = { now: () => now, schedule: () => () => undefined };
  const log = new Logger({ serviceName: 'test', logLevel: 'SILENT' });
  const kept = new VisibilityExtender(dispatchQueues as unknown as DispatchQueues, held, log, timing);
  const pass = (hours: number) => {
    now += hours * 3_600_000;
  };
  return { kept, done, pass };
}

it('a permit stays in flight with each heartbeat, and is given up before its queue would', async () => {
  const { kept, done, pass } = keeper();
  await kept.extend();
  pass(11);
  await kept.extend();
  pass(0.01);
  await kept.extend();
  await kept.extend();
  await kept.acknowledge();
  expect(done).toEqual(['kept for 40 s', 'kept for 40 s', 'dropped']);
});

it('a queue that is away fails nothing', async () => {
  const { kept, done } = keeper({ fails: true });
  await kept.extend();
  await kept.acknowledge();
  expect(done).toEqual(['kept for 40 s', 'dropped']);
});
