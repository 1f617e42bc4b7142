import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isPausing,
  type Scaling,
  scalingSchema,
  withAnswer,
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
  const [onDemand = ''] = both.launches.map(({ token }) => token);
  const on = started(both.scaling);

  test('none ends a failure unless it was made after that and has registered', () => {
    const failed = withoutAnswer(on, onDemand, 'no answer', NOW);
    const later = started(launch(failed, 1, { at: NOW + 1 }).scaling, NOW + 1);
    expect(withRegistered(later, new Set(['unknown'])).failure?.reason).toBe('no answer');
    expect(withRegistered(later, new Set([`${onDemand}-0`])).failure?.reason).toBe('no answer');
    expect(withRegistered(later, new Set(later.launches.at(-1)?.tasks)).failure).toBeUndefined();
  });
});
