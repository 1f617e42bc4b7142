import { type Fleet, touchesOfFleet } from './fleet.ts';
import { readsOfLife } from './job-reads.ts';
import { STEPS, type Touch, writesOfLife } from './job-writes.ts';
import { type Kind, Partitions } from './partitions.ts';

/** What happens at a rate of short jobs. */
export interface ScaleMeasure {
  /** Share of the units that were not taken in their second. */
  readonly refused: Readonly<Record<Kind, number>>;
  /** Seconds that refusals add to the start of a job: 95 of 100 jobs wait no longer. */
  readonly wait: number;
  /** Seconds from a change of a job to its count. */
  readonly lag: number;
  /** The place that refuses first, and those that still do at the end, by table or index. */
  readonly first: string | undefined;
  readonly last: readonly string[];
}

export interface ScaleOptions {
  /** Jobs in each second. */
  readonly rates: readonly number[];
  readonly projects: number;
  readonly fleet: Fleet;
  readonly bursts?: boolean;
}

/** Different lives, of which each second has its share. */
const LIVES = 2_000;

/** The partitions of an on-demand table at its creation. */
const FIRST_PARTITIONS = 4;

/** The partitions of the texts of a month's jobs, each of which splits further. */
const TEXT_PARTITIONS = 8;

/** Assumed milliseconds: Lambda's window, its poll of the stream, and one write of the counts, so many side by side. */
const COUNTING = { window: 1_000, poll: 250, write: 15, parallel: 50, records: 1_000 } as const;

export async function measureScale({ rates, projects, fleet, bursts = false }: ScaleOptions): Promise<ScaleMeasure> {
  const life = await meanLife(projects);
  const partitions = new Partitions({ bursts });
  const waits: { rate: number; wait: number }[] = [];
  let first: string | undefined;
  let refusing: string[] = [];
  for (const rate of rates) {
    const shards = partitions.partitionsOf('Jobs');
    const touches = [
      ...life.map((touch) => ({ ...touch, units: touch.units * rate })),
      ...touchesOfFleet(fleet, { claims: rate, decisions: rate === 0 ? 0 : Math.min(shards, rate) }),
    ];
    for (const { place, key, units, kind = 'writes' } of touches)
      partitions.take(place === 'Jobs' ? place : `${place} ${key}`, units, {
        kind,
        ...(place === 'Jobs' && { spread: FIRST_PARTITIONS }),
        ...(place === 'Registry' && key.includes('#') && { spread: key.endsWith('#') ? TEXT_PARTITIONS : 1 }),
      });
    refusing = partitions.tick();
    waits.push({ rate, wait: partitions.wait });
    first ??= refusing[0];
  }
  return {
    refused: { writes: share(partitions, 'writes'), reads: share(partitions, 'reads') },
    wait: percentile95(waits),
    lag: countingSeconds({ rate: Math.max(...rates), projects, shards: partitions.partitionsOf('Jobs') }),
    first,
    last: [...new Set(refusing.map((place) => place.split(' ')[0] ?? ''))],
  };
}

function share({ refused, units }: Partitions, kind: Kind): number {
  return units[kind] === 0 ? 0 : refused[kind] / units[kind];
}

/** What one job takes of each place, as a mean of many lives. */
async function meanLife(projects: number): Promise<Touch[]> {
  const reads = await Promise.all(Array.from({ length: projects }, (_, n) => readsOfLife(`p${n}`)));
  const means = new Map<string, Touch>();
  for (let n = 0; n < LIVES; n += 1) {
    const writes = writesOfLife(`${n}`, `p${n % projects}`);
    for (const step of STEPS)
      for (const touch of [...writes[step], ...(reads[n % projects]?.[step] ?? [])]) {
        const key = touch.place === 'Jobs' ? '' : touch.key;
        const name = `${touch.place} ${key} ${touch.kind}`;
        const units = (means.get(name)?.units ?? 0) + touch.units / LIVES;
        means.set(name, { ...touch, key, units });
      }
  }
  return [...means.values()];
}

/** Weighted by the jobs that are created in each second. */
function percentile95(waits: readonly { rate: number; wait: number }[]): number {
  const jobs = waits.reduce((sum, { rate }) => sum + rate, 0);
  let seen = 0;
  for (const { rate, wait } of waits.toSorted((a, b) => a.wait - b.wait)) {
    seen += rate;
    if (seen >= 0.95 * jobs) return wait;
  }
  return 0;
}

/** A window, and the batches of a shard of the stream, one after the other. */
function countingSeconds({ rate, projects, shards }: { rate: number; projects: number; shards: number }): number {
  const records = (rate * STEPS.length) / shards;
  // An item of statistics for each project, the day and the model, side by side, then the counts.
  const items = Math.min(projects, records) + 2;
  const batch = (Math.ceil(items / COUNTING.parallel) + 1) * COUNTING.write;
  return (COUNTING.window + COUNTING.poll + Math.ceil(records / COUNTING.records) * batch) / 1_000;
}
