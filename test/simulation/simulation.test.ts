import { expect, it } from 'vitest';
import { runWorlds } from './run-worlds.ts';
import { World } from './world.ts';

it('one seed gives one course of events', async () => {
  const course = async () => {
    const steps: string[] = [];
    // Ids and what follows from them are random, but nothing goes by them.
    await new World(1162, (line) =>
      steps.push(line.replaceAll(/[0-9a-z]{16,}|(?<=texts#2026-11)#[0-7]/g, 'random')),
    ).run();
    return steps;
  };
  const first = await course();
  expect(first.length).toBeGreaterThan(1_000);
  expect(await course()).toEqual(first);
});

it('no world of a few seconds breaks an invariant, and every kind of fault happens in them', async () => {
  const tally = await runWorlds({ seed: 1, step: 1, lives: 100_000, milliseconds: 20_000, enough: 1 });
  expect(tally.broken.map(({ seed, violations }) => ({ seed, violations }))).toEqual([]);
  expect(tally.lives).toBeGreaterThan(1_000);
  expect(Object.entries(tally.faults).filter(([, count]) => count === 0)).toEqual([]);
});
