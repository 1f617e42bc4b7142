import { DeleteCommand, PutCommand, type QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { JobIndex } from '../../../../lib/jobs/store/job-index.ts';
import { writeCursor } from '../../../../lib/jobs/store/list-position.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aJob } from '../a-job.ts';

let deployment: EmulatedDeployment;
let index: JobIndex;
/** Three in each millisecond; every second has succeeded, every third is in the partition of earlier versions. */
const jobs = Array.from({ length: 60 }, (_, n) =>
  aJob({
    id: jobIdOfKey(`listed ${n}`),
    status: n % 2 === 0 ? 'SUCCEEDED' : 'FAILED',
    reason: 'exited',
    created_at: `2026-11-20T10:00:00.${100 + Math.floor(n / 3)}Z`,
    prompt_preview: `job ${n}`,
  }),
);
const newestFirst = jobs.toSorted((a, b) => b.created_at.localeCompare(a.created_at) || (a.id < b.id ? 1 : -1));

beforeAll(async () => {
  deployment = await emulateDeployment();
  const { table, env } = deployment;
  index = new JobIndex({ table, jobsTable: env.JOBS_TABLE, registryTable: env.REGISTRY_TABLE });
  for (const [n, job] of jobs.entries()) {
    const former = { list_key: 'jobs#0', status_key: `${job.status}#0` };
    const Item = { ...job, ...(n % 3 === 0 ? former : indexKeys(job)) };
    await table.send(new PutCommand({ TableName: env.JOBS_TABLE, Item }));
  }
});
afterAll(async () => await deployment.stop());

const idsOf = (listed: readonly Pick<Job, 'id'>[]) => listed.map(({ id }) => id);

async function page(wanted: Partial<Parameters<JobIndex['page']>[0]>) {
  const { items, nextCursor } = await index.page({ limit: 50, offset: 0, cursor: undefined, ...wanted });
  return { ids: idsOf(items), items, nextCursor };
}

it('jobs are spread over all partitions', () => {
  expect(new Set(jobs.map((job) => indexKeys(job).list_key)).size).toBe(4);
});

for (const status of [undefined, 'FAILED', 'SUCCEEDED'] as const)
  for (const order of ['newest', 'oldest'] as const)
    for (const limit of [1, 7, 60])
      it(`pages of ${limit} bring each job once, in order: ${status ?? 'all'}, ${order} first`, async () => {
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const { ids, nextCursor } = await page({ status, order, limit, cursor });
          found.push(...ids);
          expect(ids.length === limit || nextCursor === undefined).toBe(true);
          cursor = nextCursor;
        } while (cursor !== undefined);
        const wanted = idsOf(newestFirst.filter((job) => status === undefined || job.status === status));
        expect(found).toEqual(order === 'newest' ? wanted : wanted.toReversed());
      });

it('an offset skips, and the page shows what the jobs say', async () => {
  const { ids, items } = await page({ limit: 4, offset: 5 });
  expect(ids).toEqual(idsOf(newestFirst.slice(5, 9)));
  expect(items[0]).toMatchObject({ prompt_preview: newestFirst[5]?.prompt_preview, status: newestFirst[5]?.status });
});

it('a list of SUCCEEDED jobs continues behind those that it has read', async () => {
  const { ids, nextCursor } = await page({ status: 'SUCCEEDED', limit: 50, mostRead: 10 });
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.length).toBeLessThan(30);
  const rest = await page({ status: 'SUCCEEDED', limit: 50, cursor: nextCursor });
  expect([...ids, ...rest.ids]).toEqual(idsOf(newestFirst.filter(({ status }) => status === 'SUCCEEDED')));
});

for (const status of [undefined, 'FAILED', 'SUCCEEDED'] as const)
  it(`an offset beyond what one request reads is continued by the cursor: ${status ?? 'all'}`, async () => {
    const wanted = idsOf(newestFirst.filter((job) => status === undefined || job.status === status)).slice(25, 29);
    const found: string[] = [];
    let next = await page({ status, limit: 4, offset: 25, mostRead: 10 });
    for (let requests = 1; ; requests += 1) {
      found.push(...next.ids);
      if (found.length >= 4 || next.nextCursor === undefined || requests > 20) break;
      next = await page({ status, limit: 4, cursor: next.nextCursor, mostRead: 10 });
    }
    expect(found.slice(0, 4)).toEqual(wanted);
  });

it('a cursor whose time is none is rejected', async () => {
  for (const created_at of ['!', '~', '2026'])
    await expect(page({ cursor: writeCursor({ id: 'job_1', created_at, list_key: 'jobs#0' }) })).rejects.toThrow(
      'give next_cursor of the page before',
    );
});

it('an offset of any size is one that DynamoDB takes', async () => {
  const calls: unknown[] = [];
  const send = async (command: QueryCommand) => {
    calls.push(command.input.Limit);
    return { Items: [] };
  };
  const recorded = { table: { send } as never, jobsTable: 'jobs', registryTable: 'registry' };
  await new JobIndex(recorded).page({ limit: 1, offset: Number.MAX_SAFE_INTEGER, cursor: undefined });
  expect(Math.max(...(calls as number[]))).toBeLessThan(100_000);
});

it('a cursor of an earlier version, and one whose job was removed, continue', async () => {
  const at = newestFirst[20];
  const former = (list: object) =>
    Buffer.from(JSON.stringify({ id: at?.id, created_at: at?.created_at, ...list })).toString('base64url');
  const cursor = former({ list_key: 'jobs#0' });
  expect((await page({ cursor })).ids).toEqual(idsOf(newestFirst.slice(21)));
  await expect(page({ status: 'FAILED', cursor })).rejects.toThrow('give next_cursor of the page before');
  await deployment.table.send(new DeleteCommand({ TableName: deployment.env.JOBS_TABLE, Key: { id: at?.id } }));
  expect((await page({ cursor })).ids).toEqual(idsOf(newestFirst.slice(21)));
  await deployment.store(at as Job);
});
