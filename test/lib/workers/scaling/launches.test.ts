import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import {
  isPausing,
  LAUNCH,
  type Scaling,
  scalingSchema,
  standingFailure,
  underWay,
  withAnswer,
  withEnded,
  withLate,
  withLaunches,
  withoutAnswer,
  withRegistered,
} from '../../../../lib/workers/scaling/launches.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const NONE = scalingSchema.parse({});
let tokens = 0;
function newToken(): string {
  tokens += 1;
  return `token${tokens}`;
}
const launch = (from: Scaling, count: number, { spotWeight = 0, at = NOW } = {}) =>
  withLaunches(from, { count, spotWeight, build: 'worker:1', newToken }, at);

/** A launch that started all its tasks, under names of its token. */
function started(scaling: Scaling, at = NOW): Scaling {
  return scaling.launches
    .filter(({ tasks }) => tasks === undefined)
    .reduce((all, { token, count }) => {
      const tasks = Array.from({ length: count }, (_, n) => `${token}-${n}`);
      return withAnswer(all, token, { tasks }, at);
    }, scaling);
}

describe('launches', () => {
  test('are as many as requested, in calls within the limit of ECS', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 100 }), (count, spotWeight) => {
        const { launches } = launch(NONE, count, { spotWeight });
        expect(launches.reduce((sum, one) => sum + one.count, 0)).toBe(count);
        expect(launches.every((one) => one.count >= 1 && one.count <= 10)).toBe(true);
        expect(new Set(launches.map(({ token }) => token)).size).toBe(launches.length);
      }),
    );
  });

  test('are on Spot by the weight, also one at a time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 100 }),
        (counts, spotWeight) => {
          let scaling = NONE;
          let spot = 0;
          for (const count of counts) {
            const made = launch(scaling, count, { spotWeight });
            scaling = made.scaling;
            for (const one of made.launches) if (one.provider === 'FARGATE_SPOT') spot += one.count;
          }
          const all = counts.reduce((sum, count) => sum + count, 0);
          expect(Math.abs(spot - (all * spotWeight) / 100)).toBeLessThan(1);
        },
      ),
    );
  });

  test('count as expected workers until they have registered', () => {
    const scaling = started(launch(NONE, 12).scaling);
    expect(underWay(scaling)).toEqual({ pending: 12, late: 0 });
    const some = new Set(scaling.launches.flatMap(({ tasks = [] }) => tasks).slice(0, 11));
    expect(underWay(withRegistered(scaling, some))).toEqual({ pending: 1, late: 0 });
  });

  test('that are late no longer count as expected, but exist until they have ended', () => {
    const later = NOW + LAUNCH.timeoutMs + 1;
    const late = withLate(started(launch(NONE, 2).scaling), later);
    expect(underWay(late)).toEqual({ pending: 0, late: 2 });
    expect(standingFailure(late)?.reason).toBe('launched 3 minutes ago and not registered yet');
    expect(withLate(late, later)).toBe(late);
    const ended = withEnded(late, new Map(late.launches[0]?.tasks?.map((task) => [task, 'gone'])), later);
    expect(underWay(ended)).toEqual({ pending: 0, late: 0 });
    expect(ended.failure?.times).toBe(1);
  });

  test('that were never answered are forgotten when they are late', () => {
    expect(withLate(launch(NONE, 2).scaling, NOW + LAUNCH.timeoutMs + 1).launches).toEqual([]);
  });
});

describe('a launch that failed', () => {
  const refused = (from: Scaling, at: number) => {
    const made = launch(from, 1, { at });
    return withAnswer(made.scaling, made.launches[0]?.token ?? '', { tasks: [], failure: 'no capacity' }, at);
  };

  test('is retried after pauses that double up to five minutes', () => {
    let scaling = NONE;
    let at = NOW;
    const pauses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      scaling = refused(scaling, at);
      const retryAt = Date.parse(scaling.failure?.retry_at ?? '');
      expect([isPausing(scaling, retryAt - 1), isPausing(scaling, retryAt)]).toEqual([true, false]);
      pauses.push((retryAt - at) / 1000);
      at = retryAt;
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 300, 300, 300]);
  });

  test('is reported until it is retried, and is over when a later one has registered', () => {
    const failed = refused(NONE, NOW);
    expect(standingFailure(failed)?.reason).toBe('no capacity');
    const retried = started(launch(failed, 1, { at: NOW + 60_000 }).scaling, NOW + 60_000);
    expect(standingFailure(retried)).toBeUndefined();
    expect(retried.failure?.times).toBe(1);
    const registered = withRegistered(retried, new Set(retried.launches[0]?.tasks));
    expect(registered).toMatchObject({ launches: [], failure: undefined });
  });

  test('is not over when one registers that was launched before it', () => {
    const earlier = started(launch(NONE, 2).scaling);
    const failed = refused(earlier, NOW + 1_000);
    const registered = withRegistered(failed, new Set(earlier.launches[0]?.tasks));
    expect(standingFailure(registered)?.reason).toBe('no capacity');
    expect(isPausing(registered, NOW + 1_000)).toBe(true);
  });

  test('on Spot is made on demand at once, and Spot is retried when that has worked', () => {
    const made = launch(NONE, 1, { spotWeight: 100 });
    const token = made.launches[0]?.token ?? '';
    const short = withAnswer(made.scaling, token, { tasks: [], failure: 'Capacity is unavailable' }, NOW);
    expect(isPausing(short, NOW)).toBe(false);
    const again = launch(short, 1, { spotWeight: 100, at: NOW + 1 });
    expect(again.launches.map(({ provider }) => provider)).toEqual(['FARGATE']);
    const on = started(again.scaling, NOW + 1);
    const over = withRegistered(on, new Set(on.launches[0]?.tasks));
    expect(launch(over, 1, { spotWeight: 100 }).launches.map(({ provider }) => provider)).toEqual(['FARGATE_SPOT']);
  });
});

describe('of several launches', () => {
  const both = launch(NONE, 4, { spotWeight: 50 });
  const [onDemand = '', spot = ''] = both.launches.map(({ token }) => token);
  const on = started(both.scaling);

  test('the one that ECS answers for is the one that fails, and an unknown one changes nothing', () => {
    const answer = { tasks: [`${spot}-0`], failure: 'no capacity' };
    const short = withAnswer(both.scaling, spot, answer, NOW);
    expect(short.launches.map(({ tasks }) => tasks)).toEqual([undefined, [`${spot}-0`]]);
    expect(short.failure).toMatchObject({ provider: 'FARGATE_SPOT', times: 0, reason: 'no capacity' });
    const silent = withoutAnswer(both.scaling, spot, 'no answer', NOW);
    expect(silent.launches).toEqual(both.launches);
    expect(silent.failure).toMatchObject({ provider: 'FARGATE_SPOT', reason: 'no answer' });
    expect(withoutAnswer(both.scaling, onDemand, 'no answer', NOW).failure).toMatchObject({ provider: 'FARGATE' });
    expect(withAnswer(both.scaling, 'unknown', answer, NOW)).toBe(both.scaling);
    expect(withoutAnswer(both.scaling, 'unknown', 'no answer', NOW)).toBe(both.scaling);
  });

  test('only those whose tasks have ended or registered are forgotten', () => {
    const ended = withEnded(on, new Map([[`${onDemand}-1`, 'it stopped']]), NOW);
    expect(ended.failure).toMatchObject({ provider: 'FARGATE', times: 1, reason: 'it stopped' });
    expect(ended.launches.flatMap(({ tasks }) => tasks)).toEqual([`${onDemand}-0`, `${spot}-0`, `${spot}-1`]);
    expect(withEnded(on, new Map([['unknown', 'it stopped']]), NOW)).toBe(on);
    const unanswered = launch(on, 1).scaling;
    expect(underWay(withRegistered(unanswered, new Set([`${spot}-0`, `${spot}-1`])))).toEqual({ pending: 3, late: 0 });
  });

  test('only those that were made more than three minutes ago are late', () => {
    const at = NOW + 180_000;
    expect(withLate(on, at)).toBe(on);
    const later = started(launch(on, 1, { at }).scaling, at);
    const late = withLate(later, at + 1);
    expect(late.launches.map(({ late: isLate }) => isLate)).toEqual([true, true, undefined]);
    expect(late.failure).toMatchObject({ provider: 'FARGATE', times: 1 });
    expect(underWay(late)).toEqual({ pending: 1, late: 4 });
  });

  test('none ends a failure unless it was made after that and has registered', () => {
    const failed = withoutAnswer(on, onDemand, 'no answer', NOW);
    const later = started(launch(failed, 1, { at: NOW + 1 }).scaling, NOW + 1);
    expect(withRegistered(later, new Set(['unknown'])).failure?.reason).toBe('no answer');
    expect(withRegistered(later, new Set([`${onDemand}-0`])).failure?.reason).toBe('no answer');
    expect(withRegistered(later, new Set(later.launches.at(-1)?.tasks)).failure).toBeUndefined();
  });
});

test('failures on Spot and on demand are counted apart, and each further one on Spot waits while the other fails', () => {
  const fail = (from: Scaling, provider: 'FARGATE' | 'FARGATE_SPOT') => {
    const at = timestamp(NOW);
    const token = newToken();
    const one = { token, provider, count: 1, build: 'worker:1', at };
    return withoutAnswer({ ...from, launches: [one] }, token, 'no answer', NOW);
  };
  const onSpot = fail(NONE, 'FARGATE_SPOT');
  expect(onSpot.failure).toMatchObject({ times: 0, retry_at: timestamp(NOW) });
  const then = fail(onSpot, 'FARGATE');
  expect(then.failure).toMatchObject({ times: 1, retry_at: timestamp(NOW + 15_000) });
  expect(fail(then, 'FARGATE_SPOT').failure).toMatchObject({ times: 2, retry_at: timestamp(NOW + 30_000) });
});
