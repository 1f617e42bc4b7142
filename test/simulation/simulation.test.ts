import { afterEach, describe, expect, it, vi } from 'vitest';
import { amount } from '../vitest/amount.ts';
import { newTally, untried } from './worlds/run-worlds.ts';
import { World } from './worlds/world.ts';

/** A seed whose world has storms, losses, follow-ups and rereads in it. */
const SEED = 1151;
/** Of a small world. */
const SMALL_SEED = 5;
/** Small worlds; `npm run check` simulates ten thousand lives beside the tests. */
const SEEDS = amount([1, SMALL_SEED, 8], [1, 2, 3, 4, SMALL_SEED, 6, 7, 8]);

describe('the simulator', () => {
  it('has the same events for the same seed, so that a violation can be replayed', async () => {
    const first = await courseOf(SEED);
    expect(first.length).toBeGreaterThan(1_000);
    expect(await courseOf(SEED)).toEqual(first);
    expect(await courseOf(SMALL_SEED)).not.toEqual(first);
  });

  it('finds nothing wrong with the modules as they are', async () => {
    const worlds = await Promise.all(SEEDS.map(async (seed) => await new World(seed).run()));
    expect(worlds.map(({ seed, violations }) => ({ seed, violations }))).toEqual(
      SEEDS.map((seed) => ({ seed, violations: [] })),
    );
    expect(worlds.reduce((sum, { lives }) => sum + lives, 0)).toBeGreaterThanOrEqual(50);
  });

  it('names events that never occurred', async () => {
    const tally = newTally();
    expect(untried(tally)).toEqual(
      expect.arrayContaining(['killed', 'lost', 'parked for a limit', 'SendMessageCommand']),
    );
    Object.assign(tally.faults, { killed: 1 });
    expect(untried(tally)).not.toContain('killed');
  });
});

describe('with a safeguard removed, the simulator finds', () => {
  afterEach(() => {
    vi.doUnmock('../../lib/jobs/lifecycle/lease.ts');
    vi.resetModules();
  });

  it('a takeover before the lease expires', async () => {
    vi.resetModules();
    vi.doMock('../../lib/jobs/lifecycle/lease.ts', async (original) => ({
      ...(await original<object>()),
      leaseIsOver: ({ status }: { status: string }) => status === 'RUNNING',
    }));
    expect(await firstViolation()).toMatch(/under its lease|although|lease/);
  });
});

async function courseOf(seed: number): Promise<string[]> {
  const steps: string[] = [];
  await new World(seed, (line) => steps.push(line)).run();
  return steps;
}

async function firstViolation(): Promise<string | undefined> {
  const { runWorlds: run } = await import('./worlds/run-worlds.ts');
  const { broken } = await run({ seed: 1, step: 1, lives: 3_000, milliseconds: Infinity, enough: 1 });
  return broken[0]?.violations[0];
}
