import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
