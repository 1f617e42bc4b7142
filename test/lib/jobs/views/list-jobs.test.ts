import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobListQuery } from '../../../../lib/contract/schemas/jobs/job-list.ts';
import { JobCounts } from '../../../../lib/counters/counts.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { JobIndex } from '../../../../lib/jobs/store/job-index.ts';
import { JobTextStore } from '../../../../lib/jobs/store/job-texts.ts';
import { ThreadStore } from '../../../../lib/jobs/threads/thread-store.ts';
import { TreeStore } from '../../../../lib/jobs/trees/tree-store.ts';
import { listJobs } from '../../../../lib/jobs/views/list-jobs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
/** Newest first; each third is of profile `wanted`. */
const ids = Array.from({ length: 12 }, (_, n) => jobIdOfKey(`job ${n}`));
/** When each was created; one in the first millisecond of its month. */
const created = [
  '10-10',
  '10-09',
  '09-10',
  '09-01',
  '08-13',
  '08-12',
  '08-11',
  '08-10',
  '07-10',
  '07-09',
  '06-10',
  '06-09',
];
const wanted = ids.filter((_, n) => n % 3 === 0);
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (const [n, id] of ids.entries()) {
    const texts = { prompt: n % 3 === 0 ? 'a needle' : 'hay', project: 'local_project' };
    const job = await deployment.store({
      id,
      profile: n % 3 === 0 ? 'wanted' : 'practice',
      created_at: `2026-${created[n]}T00:00:00.000Z`,
      texts: JobTextStore.address(texts),
    });
    await deployment.texts.put(job, texts);
  }
});
afterAll(async () => {
  await deployment.stop();
});

async function list(query: Partial<JobListQuery>, mostRead?: number, mostBytes?: number) {
  const { table, env, clock, texts } = deployment;
  const context = {
    index: new JobIndex({ table, jobsTable: env.JOBS_TABLE, registryTable: env.REGISTRY_TABLE }),
    labels: texts.labels,
    counts: new JobCounts({ table, registryTable: env.REGISTRY_TABLE }),
    clock,
    threads: new ThreadStore({ table, registryTable: env.REGISTRY_TABLE }),
    trees: new TreeStore({ table, registryTable: env.REGISTRY_TABLE }),
    folders: { workspaces: '/workspaces', roots: [] },
    ...(mostRead !== undefined && { mostRead }),
    ...(mostBytes !== undefined && { mostBytes }),
  };
  const { items, ...page } = await listJobs(context, { limit: undefined, offset: undefined, ...query });
  return { ...page, ids: items.map(({ job }) => job.id) };
}

for (const query of [{ profile: 'wanted' }, { search: 'needle' }] as const)
  for (const [limit, mostRead] of [
    [50, 1],
    [50, 2],
    [1, 3],
    [1, 5],
    [2, 4],
    [3, 12],
  ] as const)
    for (const order of ['newest', 'oldest'] as const)
      it(`pages of ${limit} from requests that read ${mostRead} jobs bring all matches: ${Object.keys(query)}, ${order}`, async () => {
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await list({ ...query, order, limit, cursor }, mostRead);
          expect(page.offset).toBe(found.length);
          found.push(...page.ids);
          expect(page.total).toBeGreaterThanOrEqual(found.length);
          // Only the last page can have counted all.
          if (page.totalComplete) expect(page.total).toBe(wanted.length);
          cursor = page.nextCursor;
          if (cursor === undefined) expect(page.totalComplete).toBe(true);
        } while (cursor !== undefined);
        expect(found).toEqual(order === 'newest' ? wanted : wanted.toReversed());
      });

it('jobs that are not counted yet make the total a lower bound, but for the page that ends the list', async () => {
  // Nothing counts the jobs of this deployment.
  const first = await list({ limit: 5, offset: 2 });
  expect(first).toMatchObject({ total: 7, totalComplete: false });
  const second = await list({ limit: 5, cursor: first.nextCursor });
  expect(second).toMatchObject({ total: 5, totalComplete: false, nextCursor: undefined });
  expect(await list({ offset: 2 })).toMatchObject({ total: 12, totalComplete: true });
  expect(await list({ status: 'RUNNING' })).toMatchObject({ ids: [], total: 0, totalComplete: true });
});

it.each([
  ['newest', undefined, undefined],
  ['oldest', undefined, undefined],
  ['newest', 6, undefined],
  ['oldest', 6, undefined],
  // The months become too large for one request after the first page.
  ['newest', undefined, 700],
] as const)(
  'pages of a search bring each job that stays once while others come and go: %s, %s rows, %s bytes',
  async (order, mostRead, mostBytes) => {
    const word = `zeta${order}${mostRead}${mostBytes}`;
    const add = async (name: string, day: string) => {
      const texts = { prompt: word, project: 'local_project' };
      const fields = { created_at: `2026-${day}T00:00:00.000Z`, texts: JobTextStore.address(texts) };
      const job = await deployment.store({ id: jobIdOfKey(`${word} ${name}`), ...fields });
      await deployment.texts.put(job, texts);
      return job.id;
    };
    const days = ['08-02', '08-04', '08-06', '09-02', '09-04', '09-06', '10-02', '10-04'];
    const stay = await Promise.all(days.map(async (day) => await add(`stays ${day}`, day)));
    const go = await Promise.all(days.map(async (day) => await add(`goes ${day}`, day)));
    const found: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
      const { ids: shown, nextCursor } = await list({ search: word, order, limit: 3, cursor }, mostRead, mostBytes);
      found.push(...shown);
      cursor = nextCursor;
      for (const [n, day] of ['08-01', '09-05', '10-06'].entries()) await add(`comes ${page} ${n}`, day);
      const gone = go.splice(order === 'newest' ? -1 : 0, 1)[0];
      if (gone !== undefined)
        await deployment.table.send(new DeleteCommand({ TableName: deployment.env.JOBS_TABLE, Key: { id: gone } }));
      if (page > 60) throw new Error('the list does not end');
    }
    expect(found.filter((id) => stay.includes(id)).toSorted()).toEqual(stay.toSorted());
    expect(new Set(found).size).toBe(found.length);
  },
);
