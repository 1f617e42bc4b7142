import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { isInRange, JobIndex, type ListedJob } from '../../../../lib/jobs/store/job-index.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

let deployment: QuietDeployment;
let index: JobIndex;
beforeEach(() => {
  deployment = quietDeployment();
  index = new JobIndex({ table: deployment.table, jobsTable: 'jobs', registryTable: 'registry' });
});

const question = { id: 'q_1', state: 'open', due: '2026-11-27T10:00:00.000Z' } as const;
/** Stores jobs of these states, each a minute younger than the one before; a `?` after a state: it asks. */
async function store(...states: readonly string[]): Promise<void> {
  for (const [at, state] of states.entries()) {
    const [status = ''] = state.split('?');
    const asks = state === 'QUEUED?' ? { reason: 'question', parked: 'question' } : {};
    await deployment.store({
      id: `job_${at}`,
      ...{ status: status as Job['status'], created_at: `2026-11-20T10:0${at}:00.000Z` },
      ...(state.endsWith('?') && { question, ...(asks as Partial<Job>) }),
    });
  }
  deployment.calls.length = 0;
}
async function page(wanted: Partial<Parameters<JobIndex['page']>[0]> = {}) {
  const { items, nextCursor } = await index.page({ limit: 10, offset: 0, cursor: undefined, ...wanted });
  return { ids: items.map(({ id }) => Number(id.slice(4))), nextCursor };
}
const named = (cursor: string | undefined) => JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString()) as object;
const count = (kind: new (...given: never[]) => unknown) =>
  deployment.calls.filter((call) => call instanceof kind).length;
const limits = () => deployment.calls.flatMap((call) => (call instanceof QueryCommand ? [call.input.Limit] : []));

describe('a page', () => {
  it('has the jobs of all states, or of one', async () => {
    await store('SUCCEEDED', 'FAILED', 'QUEUED', 'FAILED', 'SUCCEEDED');
    expect(await page()).toEqual({ ids: [4, 3, 2, 1, 0], nextCursor: undefined });
    expect(await page({ status: 'FAILED' })).toEqual({ ids: [3, 1], nextCursor: undefined });
    expect(await page({ status: 'SUCCEEDED', order: 'oldest' })).toEqual({ ids: [0, 4], nextCursor: undefined });
  });

  it.each<[wanted: Partial<Parameters<JobIndex['page']>[0]>, name: object]>([
    [{}, { list_key: 'jobs#0' }],
    [{ status: 'QUEUED' }, { status_key: 'QUEUED#0' }],
    [{ needs: 'answer' }, { status_key: 'QUEUED#0' }],
    [{ needs: 'answer', status: 'QUEUED' }, { status_key: 'QUEUED#0' }],
  ])('ends with a cursor that names its list and continues it: %o', async (wanted, name) => {
    await store('QUEUED?', 'QUEUED?', 'QUEUED?');
    const first = await page({ ...wanted, limit: 2 });
    expect(first.ids).toEqual([2, 1]);
    expect(named(first.nextCursor)).toEqual({ id: 'job_1', created_at: '2026-11-20T10:01:00.000Z', ...name });
    expect(await page({ ...wanted, limit: 2, cursor: first.nextCursor })).toEqual({ ids: [0], nextCursor: undefined });
    expect((await page({ ...wanted, limit: 3 })).nextCursor).toBeUndefined();
  });

  it('skips its offset, of the jobs in its state only', async () => {
    await store('SUCCEEDED', 'FAILED', 'SUCCEEDED', 'FAILED', 'SUCCEEDED');
    expect((await page({ offset: 2, limit: 2 })).ids).toEqual([2, 1]);
    expect((await page({ offset: 1, status: 'SUCCEEDED' })).ids).toEqual([2, 0]);
    expect(await page({ offset: 9 })).toEqual({ ids: [], nextCursor: undefined });
  });

  it('is full, though most of the newest jobs are in another state', async () => {
    await store('SUCCEEDED', 'SUCCEEDED', 'FAILED', 'FAILED', 'FAILED');
    expect(await page({ status: 'SUCCEEDED', limit: 2 })).toEqual({ ids: [1, 0], nextCursor: undefined });
  });

  it('is short after as many entries as it may read, and its cursor skips the rest of the offset', async () => {
    await store('FAILED', 'FAILED', 'FAILED');
    const first = await page({ offset: 5, mostRead: 1 });
    expect(first.ids).toEqual([]);
    expect(named(first.nextCursor)).toMatchObject({ id: 'job_0', skip: 2 });
    const whole = await page({ mostRead: 3 });
    expect([whole.ids, named(whole.nextCursor)]).toEqual([[2, 1, 0], expect.objectContaining({ id: 'job_0' })]);
  });

  it('reads each job once, and at first as many entries as it probably needs', async () => {
    await store('SUCCEEDED', 'FAILED', 'SUCCEEDED');
    await page({ status: 'SUCCEEDED' });
    expect(count(BatchGetCommand)).toBe(1);
    deployment.calls.length = 0;
    await page({ limit: 4, offset: 4 });
    expect([count(BatchGetCommand), limits()]).toEqual([0, [10, 10, 10, 10]]);
    deployment.calls.length = 0;
    await page({ limit: 10, offset: 1_000_000 });
    expect(limits()).toEqual([20_000, 20_000, 20_000, 20_000]);
  });

  it('reads no further than it needs', async () => {
    let parts = 0;
    const many = Object.assign(Object.create(index) as JobIndex, {
      async *pages() {
        for (; parts < 9; parts += 1)
          yield [`job_${parts}a`, `job_${parts}b`].map((id) => ({ id, created_at: '2026' }));
      },
      jobs: async () => [],
    });
    await many.page({ limit: 3, offset: 0, cursor: undefined });
    expect(parts).toBe(1);
  });

  it('of succeeded jobs reads fewer entries than one of others', async () => {
    expect(LIMITS.jobsReadPerList).toBeLessThan(LIMITS.entriesReadPerList);
    const reading = (total: number) =>
      Object.assign(Object.create(index) as JobIndex, {
        async *pages() {
          let read = 0;
          for (; read < total; read += 100)
            yield Array.from({ length: 100 }, (_, at) => ({ id: `job_${read + at}`, created_at: '2026' }));
        },
        jobs: async () => [],
      });
    const isWhole = async (status: 'SUCCEEDED' | 'FAILED', total: number) => {
      const wanted = { status, limit: 10, offset: 1_000_000, cursor: undefined };
      return (await reading(total).page(wanted)).nextCursor === undefined;
    };
    expect(await isWhole('SUCCEEDED', LIMITS.jobsReadPerList - 100)).toBe(true);
    expect(await isWhole('SUCCEEDED', LIMITS.jobsReadPerList)).toBe(false);
    expect(await isWhole('FAILED', LIMITS.jobsReadPerList)).toBe(true);
    expect(await isWhole('FAILED', LIMITS.entriesReadPerList)).toBe(false);
  });
});

it('the parts of a list are whole pages of the index, if it is unknown how many are read', async () => {
  await store('FAILED', 'SUCCEEDED');
  const parts = async (status: Job['status'] | undefined) =>
    (await Array.fromAsync(index.pages({ status: status as 'FAILED' }, undefined))).flat().map(({ id }) => id);
  expect(await parts('FAILED')).toEqual(['job_0']);
  expect(await parts('SUCCEEDED')).toEqual(['job_1', 'job_0']);
  expect(new Set(limits())).toEqual(new Set([undefined]));
});

it.each<[isThere: boolean, job: Partial<ListedJob>, range: Parameters<typeof isInRange>[1]]>([
  [true, { status: 'FAILED' }, {}],
  [true, { status: 'FAILED' }, { status: 'FAILED' }],
  [false, { status: 'FAILED' }, { status: 'QUEUED' }],
  [true, { status: 'QUEUED', details: { question } }, { needs: 'answer' }],
  [true, { status: 'QUEUED', details: { question } }, { needs: 'answer', status: 'QUEUED' }],
  [false, { status: 'RUNNING', details: { question } }, { needs: 'answer', status: 'QUEUED' }],
  [false, { status: 'QUEUED', details: { question: { ...question, state: 'answered' } } }, { needs: 'answer' }],
  [false, { status: 'QUEUED', details: {} }, { needs: 'answer' }],
  [true, { status: 'QUEUED', details: {} }, { status: 'QUEUED' }],
])('a job is still where the index had it: %s, %o in %o', (isThere, job, range) => {
  expect(isInRange(job as ListedJob, range)).toBe(isThere);
});

it('a search of no jobs reads no texts', async () => {
  const limit = { rows: 10, bytes: 10 };
  const options = { now: Date.parse('2026-11-20T10:00:00.000Z'), month: undefined, limit };
  expect(await index.search(['hello'], {}, options)).toEqual({ jobs: [], next: undefined, isTooLarge: false });
  const tables = deployment.calls.flatMap((call) => (call instanceof QueryCommand ? [call.input.TableName] : []));
  expect(new Set(tables)).toEqual(new Set(['jobs']));
});
