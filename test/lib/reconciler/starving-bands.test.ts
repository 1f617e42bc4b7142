import { describe, expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { STARVING_AFTER_MS, starvingBands } from '../../../lib/reconciler/starving-bands.ts';
import { aJob } from '../jobs/a-job.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const ago = (milliseconds: number) => new Date(NOW - milliseconds).toISOString();

/** A job that has been ready for so long. */
function waiting(priority: number, milliseconds: number, differences: Partial<Job> = {}): Job {
  return aJob({ priority, created_at: ago(milliseconds), queued_at: ago(milliseconds), ...differences });
}

async function starving(jobs: readonly Job[]): Promise<{ bands: readonly string[]; read: number; page?: number }> {
  let read = 0;
  let page: number | undefined;
  const oldestFirst = jobs.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  async function* byStatus(_status: string, options?: { page?: number }) {
    page = options?.page;
    for (const job of oldestFirst) {
      read += 1;
      yield job;
    }
  }
  const bands = await starvingBands({ byStatus, clock: { now: () => NOW } });
  return { bands, read, ...(page !== undefined && { page }) };
}

describe('a band starves', () => {
  it.each([
    ['nothing waits', [], []],
    ['a low job has waited long enough', [waiting(-1, STARVING_AFTER_MS + 1)], ['low']],
    ['it has not', [waiting(-1, STARVING_AFTER_MS)], []],
    ['the lowest comes first', [waiting(0, 90_000), waiting(-5, 80_000)], ['low', 'normal']],
    ['the highest is never kept waiting by another', [waiting(3, 90_000)], []],
    ['waiting again counts from then', [waiting(0, 90_000, { queued_at: ago(10_000) })], []],
    ['waiting again for exactly a minute', [waiting(0, 90_000, { queued_at: ago(60_000) })], []],
    ['a pause is no waiting', [waiting(0, 90_000, { due_at: ago(-1_000), reason: 'retry_backoff' })], []],
    [
      'a parked job waits for something else',
      [waiting(0, 90_000, { parked: 'usage_limit', reason: 'usage_limit' })],
      [],
    ],
  ])('%s', async (_why, jobs, bands) => {
    expect((await starving(jobs)).bands).toEqual(bands);
  });
});
