import { readySince } from '../jobs/dispatch/jobs-by-status.ts';
import { isParked } from '../jobs/lifecycle/gates.ts';
import { bandOf } from '../jobs/lifecycle/job.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import type { Band } from '../platform/aws/tables.ts';
import type { ReconcilerContext } from './reconcile-jobs.ts';

/** A band with a job that has been ready for this long (ms) is polled out of turn. */
export const STARVING_AFTER_MS = 60_000;

/** How many of the oldest waiting jobs are checked, and how many at once. */
const OLDEST = { jobs: 1_000, page: 100 } as const;

/** Bands that higher ones can starve, lowest first. */
const LOWER_BANDS: readonly Band[] = ['low', 'normal'];

/**
 * The bands below the highest with a job that has waited too long, lowest first. If more jobs wait than are checked,
 * both: an empty poll costs less than a job that is never started.
 */
export async function starvingBands({
  byStatus,
  clock,
}: Pick<ReconcilerContext, 'byStatus'> & { clock: Clock }): Promise<readonly Band[]> {
  const longAgo = clock.now() - STARVING_AFTER_MS;
  const starving = new Set<Band>();
  let seen = 0;
  for await (const job of byStatus('QUEUED', { page: OLDEST.page })) {
    // The jobs are sorted oldest first, and none is ready before it is created.
    if (Date.parse(job.created_at) >= longAgo) break;
    if (!isParked(job) && readySince(job) < longAgo) starving.add(bandOf(job));
    if (LOWER_BANDS.every((band) => starving.has(band))) break;
    seen += 1;
    if (seen === OLDEST.jobs) return LOWER_BANDS;
  }
  return LOWER_BANDS.filter((band) => starving.has(band));
}
