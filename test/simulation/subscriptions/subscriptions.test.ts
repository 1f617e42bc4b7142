import { expect, it } from 'vitest';
import { amount } from '../../vitest/amount.ts';
import { SubscriptionWorld } from './subscription-world.ts';

/** Virtual hours with faults of each world: longer than a delivery is tried. */
const HOURS = 36;
const SEEDS = Array.from({ length: amount(3, 20) }, (_, seed) => seed + 1);

it('each event reaches each receiver in the order of its job, or is recorded as dropped, whatever dies', {
  timeout: 60_000,
}, async () => {
  const worlds = [];
  for (const seed of SEEDS) worlds.push(await new SubscriptionWorld(seed).run(HOURS));
  expect(worlds.flatMap(({ seed, violations }) => violations.map((violation) => `${seed}: ${violation}`))).toEqual([]);
  for (const { events, accepted, dropped } of worlds) {
    expect(dropped).toBeGreaterThan(0);
    expect(accepted + dropped).toBeGreaterThan(4 * events);
  }
});
