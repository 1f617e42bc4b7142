import { expect, test } from 'vitest';
import { isNewWork } from '../../../../lib/workers/scaling/new-work.ts';

type Work = Exclude<Parameters<typeof isNewWork>[0], undefined>;
const WAITS: Work = { status: 'QUEUED', reason: 'waiting_for_worker' };
const PARKED: Work = { status: 'QUEUED', reason: 'usage_limit' };
const RUNS: Work = { status: 'RUNNING', reason: 'running' };
const ENDED: Work = { status: 'SUCCEEDED', reason: 'exited' };

test.each<[string, Work | undefined, Work | undefined, boolean]>([
  ['appears and waits', undefined, WAITS, true],
  ['waits no longer for the vendor', PARKED, WAITS, true],
  ['is handed back', RUNS, WAITS, true],
  ['is retried', ENDED, WAITS, true],
  ['waits on', WAITS, { ...WAITS, reason: 'retry_backoff' }, false],
  ['appears and waits for the vendor', undefined, PARKED, false],
  ['is claimed', WAITS, RUNS, false],
  ['ends', RUNS, ENDED, false],
  ['is lost for the last time', RUNS, { status: 'FAILED', reason: 'worker_lost' }, false],
  ['is removed', WAITS, undefined, false],
])('whether a worker may be needed: a job %s', (_what, before, after, isNew) => {
  expect(isNewWork(before, after)).toBe(isNew);
});
