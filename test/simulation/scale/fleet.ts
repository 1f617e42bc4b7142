import type { Touch } from './job-writes.ts';

/** What workers and functions do beside the lives of jobs. */
export interface Fleet {
  /** Jobs that run at the same time, and the workers that run them. */
  readonly slots: number;
  readonly workers: number;
  /** Whether more jobs wait than any of the readings below covers. */
  readonly hasBacklog: boolean;
}

/** Bytes of an entry of the index by status, and of a worker's item. */
const BYTES = { entry: 300, worker: 700 } as const;

/** A unit reads so many bytes consistently, or twice as many. */
const BYTES_OF_UNIT = 4_096;

/** Seconds between the heartbeats of a job, its worker's checks of it, and the registrations of a worker. */
const SECONDS = { heartbeat: 10, look: 2, registration: 15 } as const;

/** Most entries that a reading covers, and how many polls there are for one check of starving bands. */
const ENTRIES = { starving: 1_000, reconciler: 75_000 } as const;
const POLLS_OF_STARVING_CHECK = 8;

/**
 * The units of a second.
 * @param options.claims a second
 * @param options.decisions of scaling a second: one for each shard of the stream with new work
 */
export function touchesOfFleet(
  { slots, workers, hasBacklog }: Fleet,
  { claims, decisions }: { claims: number; decisions: number },
): Touch[] {
  const entries = (count: number) => (count * BYTES.entry) / BYTES_OF_UNIT / 2;
  const starving = Math.min(claims / POLLS_OF_STARVING_CHECK, workers) * entries(hasBacklog ? ENTRIES.starving : 1);
  const demand = decisions * entries(hasBacklog ? slots : 1);
  const reconciler = entries((hasBacklog ? ENTRIES.reconciler : 0) + slots) / 60;
  const ofQueued = (starving + demand + reconciler) / 4;
  return [
    { place: 'Jobs', key: '', units: slots / SECONDS.heartbeat },
    { place: 'Jobs', key: '', units: slots / SECONDS.look + slots / 60, kind: 'reads' },
    { place: 'Registry', key: 'worker', units: workers / SECONDS.registration },
    { place: 'Registry', key: 'worker', units: (decisions * workers * BYTES.worker) / BYTES_OF_UNIT, kind: 'reads' },
    ...['0', '1', '2', '3'].map(
      (suffix): Touch => ({ place: 'by-status', key: `QUEUED#${suffix}`, units: ofQueued, kind: 'reads' }),
    ),
  ];
}
