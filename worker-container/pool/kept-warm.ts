import type { Clock } from '../../lib/platform/aws/table-clock.ts';
import { type WarmWorkers, warmWorkersAt } from '../../lib/platform/config/warm-workers.ts';
import type { LiveWorkers } from '../../lib/workers/live-workers.ts';

/** How long (ms) an answer holds: an idle worker asks every second. */
const ANSWER_FOR_MS = 30_000;

interface KeptWarmOptions {
  readonly warm: WarmWorkers;
  readonly clock: Clock;
  readonly workers: Pick<LiveWorkers, 'list'>;
  readonly workerId: string;
}

/**
 * Asks whether this worker is one of those that the deployment keeps running without work: the first by their ids, so
 * that all workers agree.
 */
export function keptWarm({ warm, clock, workers, workerId }: KeptWarmOptions): () => Promise<boolean> {
  let known: { readonly until: number; readonly isKept: boolean } | undefined;
  return async () => {
    const now = clock.now();
    const count = warmWorkersAt(warm, now);
    if (count === 0) return false;
    if (known !== undefined && now < known.until) return known.isKept;
    const before = (await workers.list()).filter(({ id, leaving }) => id < workerId && leaving === undefined);
    known = { until: now + ANSWER_FOR_MS, isKept: before.length < count };
    return known.isKept;
  };
}
