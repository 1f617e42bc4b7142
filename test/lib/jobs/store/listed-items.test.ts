import { describe, expect, it } from 'vitest';
import { LIST_SUFFIXES, suffixOf } from '../../../../lib/jobs/indexes/list-keys.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { listedItems } from '../../../../lib/jobs/store/listed-items.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

/** Ids that all are in one partition, or in all of them by turns. */
function idsIn(partitions: number, count: number): string[] {
  const { length } = LIST_SUFFIXES;
  const candidates = Array.from({ length: count * length * 4 }, (_, at) => jobIdOfKey(`listed ${at}`));
  const bySuffix = LIST_SUFFIXES.slice(0, partitions).map((suffix) =>
    candidates.filter((id) => suffixOf({ id }) === suffix),
  );
  return Array.from({ length: count }, (_, at) => bySuffix[at % partitions]?.[Math.floor(at / partitions)] ?? '');
}

describe('all jobs are listed', () => {
  it.each([
    ['one partition has', 1, 25],
    ['two partitions have', 2, 25],
    ['all partitions have', LIST_SUFFIXES.length, 25],
  ])('although %s several pages', async (_, partitions, count) => {
    const deployment = quietDeployment();
    const ids = idsIn(partitions, count);
    for (const [at, id] of ids.entries())
      await deployment.store({ id, created_at: `2026-11-20T10:00:${10 + at}.000Z` });
    const { table, env } = deployment;
    for (const perQuery of [1, 2, 7]) {
      const range = { status: 'QUEUED', order: 'oldest' } as const;
      const pages = await Array.fromAsync(listedItems(table, env.JOBS_TABLE, range, { perQuery }));
      expect(pages.flat().map(({ id }) => id)).toEqual(ids);
    }
  });
});
