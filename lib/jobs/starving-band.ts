import type { Clock } from '../aws/table-clock.ts';
import type { Band } from '../aws/tables.ts';
import { bandOf } from './job.ts';
import { isParked, type WatchContext } from './watch-jobs.ts';

/** A band whose oldest ready job has waited so long (ms) is looked at out of turn. */
const STARVING_AFTER = 60_000;

/** How many of the oldest waiting jobs are looked at. */
const OLDEST = 100;

/** The lowest band that has kept one of the oldest waiting jobs for too long. */
export async function starvingBand({
  byStatus,
  clock,
}: Pick<WatchContext, 'byStatus'> & { clock: Clock }): Promise<Band | undefined> {
  const now = clock.now();
  const starving = new Set<Band>();
  let seen = 0;
  for await (const job of byStatus('QUEUED')) {
    if (isParked(job)) continue;
    const readySince = Date.parse(job.due_at ?? job.queued_at ?? job.created_at);
    if (now - readySince > STARVING_AFTER) starving.add(bandOf(job));
    seen += 1;
    if (seen === OLDEST) break;
  }
  return starving.has('low') ? 'low' : starving.has('normal') ? 'normal' : undefined;
}
