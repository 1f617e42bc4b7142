import { FAULTS, type FaultCounts } from './faults.ts';
import { World, type WorldReport } from './world.ts';

/** The sum of many worlds. */
export interface Tally {
  worlds: number;
  lives: number;
  attempts: number;
  calls: number;
  readonly faults: FaultCounts;
  /** Worlds in which an invariant was broken. */
  readonly broken: WorldReport[];
}

export function newTally(): Tally {
  const faults = Object.fromEntries(FAULTS.map((kind) => [kind, 0])) as FaultCounts;
  return { worlds: 0, lives: 0, attempts: 0, calls: 0, faults, broken: [] };
}

export function add(tally: Tally, more: Omit<Tally, 'broken'> & { readonly broken: readonly WorldReport[] }): void {
  for (const name of ['worlds', 'lives', 'attempts', 'calls'] as const) tally[name] += more[name];
  for (const kind of FAULTS) tally.faults[kind] += more.faults[kind];
  tally.broken.push(...more.broken);
}

/** Runs worlds of consecutive seeds until there are enough lives, the time is over, or too much is broken. */
export async function runWorlds(options: {
  seed: number;
  step: number;
  lives: number;
  milliseconds: number;
  /** Ends after so many broken worlds. */
  enough: number;
}): Promise<Tally> {
  const tally = newTally();
  const end = performance.now() + options.milliseconds;
  for (let seed = options.seed; tally.lives < options.lives && performance.now() < end; seed += options.step) {
    const report = await new World(seed).run();
    const broken = report.violations.length > 0 ? [report] : [];
    add(tally, { ...report, worlds: 1, broken });
    if (tally.broken.length >= options.enough) break;
  }
  return tally;
}
