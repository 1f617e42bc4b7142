import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it } from 'vitest';
import type { PermitQueues } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import { PermitKeeper } from '../../../worker-container/attempt/visibility-extender.ts';

const held = { permit: { v: 1, band: 'normal', project: 'p', job: 'j' }, handle: 'h', receives: 1 } as const;

/** What a keeper does to its permit; `fails`: the queue never answers well. */
function keeper({ fails = false } = {}) {
  let now = 0;
  const done: string[] = [];
  const note = async (what: string) => {
    done.push(what);
    if (fails) throw new Error('the queue is away');
  };
  const permits = {
    extend: (_: unknown, seconds: number) => note(`kept for ${seconds} s`),
    drop: () => note('dropped'),
  };
  const timing = { now: () => now, schedule: () => () => undefined };
  const log = new Logger({ serviceName: 'test', logLevel: 'SILENT' });
  const kept = new PermitKeeper(permits as unknown as PermitQueues, held, log, timing);
  const pass = (hours: number) => {
    now += hours * 3_600_000;
  };
  return { kept, done, pass };
}

it('a permit stays in flight with each heartbeat, and is given up before its queue would', async () => {
  const { kept, done, pass } = keeper();
  await kept.keep();
  pass(11);
  await kept.keep();
  pass(0.01);
  await kept.keep();
  await kept.keep();
  await kept.drop();
  expect(done).toEqual(['kept for 40 s', 'kept for 40 s', 'dropped']);
});

it('a queue that is away fails nothing', async () => {
  const { kept, done } = keeper({ fails: true });
  await kept.keep();
  await kept.drop();
  expect(done).toEqual(['kept for 40 s', 'dropped']);
});
