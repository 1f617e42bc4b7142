import { bandOf } from '../jobs/lifecycle/job.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import type { Band } from '../platform/aws/tables.ts';
import { isParked, type ReconcilerContext, readySince } from './reconcile-jobs.ts';

/** A band with a job that has been ready for so long (ms) is looked at out of turn. */
export const STARVING_AFTER = 60_000;

/** How many of the oldest waiting jobs are looked at, and how many at once. */
const OLDEST = { jobs: 1_000, page: 100 } as const;

/** Bands that others can keep from being looked at, lowest first. */
const LOWER_BANDS: readonly Band[] = ['low', 'normal'];

/**
 * The bands below the highest that have kept a job waiting for too long, the lowest first. Where more jobs wait than
 * are looked at, both: an empty look costs less than a job that is never started.
 */
export async function starvingBands({
  byStatus,
  clock,
}: Pick<ReconcilerContext, 'byStatus'> & { clock: Clock }): Promise<readonly Band[]> {
  const longAgo = clock.now() - STARVING_AFTER;
  const starving = new Set<Band>();
  let seen = 0;
  for await (const job of byStatus('QUEUED', { page: OLDEST.page })) {
    // They come oldest first, and none is ready before it is created.
    if (Date.parse(job.created_at) >= longAgo) break;
    if (!isParked(job) && readySince(job) < longAgo) starving.add(bandOf(job));
    if (LOWER_BANDS.every((band) => starving.has(band))) break;
    seen += 1;
    if (seen === OLDEST.jobs) return LOWER_BANDS;
  }
  return LOWER_BANDS.filter((band) => starving.has(band));
}
