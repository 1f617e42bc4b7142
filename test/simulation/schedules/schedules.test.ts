import { expect, it } from 'vitest';
import { amount } from '../../vitest/amount.ts';
import { ScheduleWorld } from './schedule-world.ts';

/** Virtual hours of each world. */
const HOURS = 6;
const SEEDS = Array.from({ length: amount(4, 20) }, (_, seed) => seed + 1);

it('each due instant fires once or is recorded as skipped, whatever happens to the pass', {
  timeout: 60_000,
}, async () => {
  const worlds = [];
  for (const seed of SEEDS) worlds.push(await new ScheduleWorld(seed).run(HOURS));
  expect(worlds.flatMap(({ seed, violations }) => violations.map((violation) => `${seed}: ${violation}`))).toEqual([]);
  expect(worlds.reduce((sum, { instants }) => sum + instants, 0)).toBeGreaterThan(500);
  const outcomes = worlds.flatMap((world) => Object.keys(world.outcomes));
  expect(new Set(outcomes)).toEqual(new Set(['fired', 'skipped']));
});
