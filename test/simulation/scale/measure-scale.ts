import { SeededRandom } from '../seeded-random.ts';
import { STEPS, writesOfLife } from './job-writes.ts';
import { Partitions } from './partitions.ts';

/** What happens at a rate of short jobs. */
export interface ScaleMeasure {
  /** Share of the write units that were not taken in their second. */
  readonly refused: number;
  /** Seconds that a write waits at the end, where it waits longest. */
  readonly wait: number;
  /** Seconds from a change of a job to its count. */
  readonly lag: number;
  /** The place that refuses first, and those that still do at the end, by table or index. */
  readonly first: string | undefined;
  readonly last: readonly string[];
}

/** Different lives from which each job's is drawn. */
const LIVES = 2_000;

/** The partitions of an on-demand table at its creation. */
const FIRST_PARTITIONS = 4;

/** Assumed milliseconds: Lambda's window, its poll of the stream, and one write of the counts, so many side by side. */
const COUNTING = { window: 1_000, poll: 250, write: 15, parallel: 50, records: 1_000 } as const;

export function measureScale(options: { rate: number; projects: number; seconds: number }): ScaleMeasure {
  const { rate, projects, seconds } = options;
  const random = new SeededRandom(rate + projects);
  const lives = Array.from({ length: LIVES }, (_, n) => writesOfLife(`${rate} ${n}`, `p${n % projects}`));
  const partitions = new Partitions();
  let first: string | undefined;
  let refusing: string[] = [];
  for (let second = 0; second < seconds; second += 1) {
    for (let n = 0; n < rate; n += 1) {
      const life = lives[random.integer(0, LIVES - 1)];
      for (const step of STEPS)
        for (const { place, key, units } of life?.[step] ?? []) {
          if (place === 'Jobs') partitions.write(place, units, { spread: FIRST_PARTITIONS });
          else if (place === 'Registry') partitions.write(`${place} ${key}`, units, { spread: 1 });
          else partitions.write(`${place} ${key}`, units, {});
        }
    }
    refusing = partitions.tick();
    first ??= refusing[0];
  }
  return {
    refused: partitions.refused / partitions.units,
    wait: partitions.wait,
    lag: countingSeconds({ rate, projects, shards: partitions.partitionsOf('Jobs') }),
    first,
    last: [...new Set(refusing.map((place) => place.split(' ')[0] ?? ''))],
  };
}

/** A window, and the batches of a shard of the stream, one after the other. */
function countingSeconds({ rate, projects, shards }: { rate: number; projects: number; shards: number }): number {
  const records = (rate * STEPS.length) / shards;
  // An item of statistics for each project, the day and the model, side by side, then the counts.
  const items = Math.min(projects, records) + 2;
  const batch = (Math.ceil(items / COUNTING.parallel) + 1) * COUNTING.write;
  return (COUNTING.window + COUNTING.poll + Math.ceil(records / COUNTING.records) * batch) / 1_000;
}
