import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideLaunch, type LaunchSituation } from '../../../../lib/workers/scaling/scale-workers.ts';

const small = fc.nat({ max: 40 });
const worker = fc.record({
  running: fc.nat({ max: 4 }),
  leaving: fc.constantFrom(undefined, undefined, 'draining' as const, 'stopped' as const),
});
const situation: fc.Arbitrary<LaunchSituation> = fc.record({
  demand: fc.record({ waiting: small, running: small, logins: fc.nat({ max: 2 }) }),
  workers: fc.array(worker, { maxLength: 12 }),
  pending: fc.nat({ max: 8 }),
  late: fc.nat({ max: 4 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  warm: fc.nat({ max: 6 }),
  maxWorkers: fc.integer({ min: 1, max: 20 }),
});
const NOTHING = { waiting: 0, running: 0, logins: 0 };
const QUIET: LaunchSituation = {
  demand: NOTHING,
  workers: [],
  pending: 0,
  late: 0,
  concurrency: 1,
  warm: 0,
  maxWorkers: 10,
};

describe('how many workers are launched', () => {
  test('is none if there is no work, or if the started workers can do it all', () => {
    fc.assert(
      fc.property(situation, (any) => {
        const of = { ...any, warm: 0 };
        expect(decideLaunch({ ...of, demand: NOTHING }).launch).toBe(0);
        const { waiting, running, logins } = of.demand;
        const staying = of.workers.filter(({ leaving }) => leaving === undefined).length;
        const capacity = (staying + of.pending) * of.concurrency;
        if (waiting + running + logins <= capacity) expect(decideLaunch(of).launch).toBe(0);
      }),
    );
  });

  test('is enough at once: deciding again when they are on their way launches no more', () => {
    fc.assert(
      fc.property(situation, (of) => {
        const first = decideLaunch(of);
        const second = decideLaunch({ ...of, pending: of.pending + first.launch });
        expect(second.launch).toBe(0);
        const isFull = of.workers.length + of.pending + of.late + first.launch >= of.maxWorkers;
        if (!isFull) expect(second.started).toBeGreaterThanOrEqual(first.need);
      }),
    );
  });

  test.each([
    ['a job', { waiting: 1 }],
    ['a login', { logins: 1 }],
    ['a running job whose worker is gone', { running: 1 }],
  ])('is one for %s when nothing runs', (_, demand) => {
    expect(decideLaunch({ ...QUIET, demand: { ...NOTHING, ...demand } })).toEqual({ need: 1, started: 0, launch: 1 });
  });

  test('counts the jobs that a worker runs at once', () => {
    expect(decideLaunch({ ...QUIET, concurrency: 4, demand: { ...NOTHING, waiting: 9 } }).launch).toBe(3);
  });

  test('replaces a worker that gives its jobs back, not one that ends them first', () => {
    const demand = { ...NOTHING, running: 1 };
    const workers = (leaving: 'draining' | 'stopped') => [{ running: 1, leaving }];
    expect(decideLaunch({ ...QUIET, demand, workers: workers('stopped') }).launch).toBe(1);
    expect(decideLaunch({ ...QUIET, demand, workers: workers('draining') }).launch).toBe(0);
    const more = { ...demand, waiting: 1 };
    expect(decideLaunch({ ...QUIET, demand: more, workers: workers('draining') }).launch).toBe(1);
  });
});
