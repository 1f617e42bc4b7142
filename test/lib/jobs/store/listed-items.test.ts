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

it('the jobs that need an answer are listed, of all states or of one', async () => {
  const deployment = quietDeployment();
  const [asks, waits] = idsIn(2, 2);
  const question = {
    id: 'q_1',
    state: 'open' as const,
    asked_at: '2026-11-20T10:00:00.000Z',
    due: '2026-11-27T10:00:00.000Z',
  };
  await deployment.store({ id: asks ?? '', reason: 'question', parked: 'question', attempt: 1, question });
  await deployment.store({ id: waits ?? '' });
  const { table, env } = deployment;
  for (const status of [undefined, 'QUEUED'] as const) {
    const range = { needs: 'answer', order: 'oldest', status } as const;
    const pages = await Array.fromAsync(listedItems(table, env.JOBS_TABLE, range));
    expect(pages.flat().map(({ id }) => id)).toEqual([asks]);
  }
});

describe('a time at the edge of the range selects', () => {
  it.each([
    ['no job after the year 9999 has begun', { from: '9999-12-31T23:00:00.000Z' }, 0],
    ['no job before the year 0', { to: '-000001-12-31T23:59:59.999Z' }, 0],
    ['all jobs since the year 0', { from: '0000-01-01T00:00:00.000Z' }, 1],
    ['all jobs up to the year 9999', { to: '9999-12-31T23:59:59.999Z' }, 1],
  ])('%s', async (_, range, count) => {
    const deployment = quietDeployment();
    await deployment.store({ id: jobIdOfKey('listed') });
    const { table, env } = deployment;
    expect((await Array.fromAsync(listedItems(table, env.JOBS_TABLE, range))).flat()).toHaveLength(count);
  });

  it('nothing after a cursor that is at the edge itself', async () => {
    const deployment = quietDeployment();
    await deployment.store({ id: jobIdOfKey('listed') });
    const { table, env } = deployment;
    const after = { id: 'job_1', created_at: '9999-12-31T23:59:59.999Z' };
    const parts = listedItems(table, env.JOBS_TABLE, { order: 'oldest' }, { after });
    expect((await Array.fromAsync(parts)).flat()).toEqual([]);
  });
});
