import { expect, it } from 'vitest';
import type { JobListQuery } from '../../../../lib/contract/schemas/jobs/job-list.ts';
import type { JobIndex, ListedEntry, ListedJob } from '../../../../lib/jobs/store/job-index.ts';
import type { JobLabelStore } from '../../../../lib/jobs/store/job-labels.ts';
import type { ListedKey } from '../../../../lib/jobs/store/list-position.ts';
import { type FilterContext, type Reading, scanned, searched } from '../../../../lib/jobs/views/filtered-list.ts';
import { aJob } from '../a-job.ts';

/** A job of the list, created in that minute. */
function listed(minute: number, differences: Partial<ListedJob> = {}): ListedJob {
  const { id: _id, status, reason, project_id, project, profile, priority, prompt_preview, attempt } = aJob();
  const created_at = `2026-11-20T10:0${minute}:00.000Z`;
  const job = { status, reason, project_id, project, profile, priority, prompt_preview, attempt, created_at };
  return { ...job, id: `job-${minute}`, queued_at: created_at, details: {}, ...differences };
}

const newest = [5, 4, 3, 2, 1].map((minute) => listed(minute));
const everything = { needsState: false, needsLabels: false, mayMatch: () => true, matches: () => true };

interface Asked {
  readonly pages?: { readonly after: ListedKey | undefined; readonly expected: number | undefined };
  readonly limit?: { readonly rows: number; readonly bytes: number };
}

/** A list over these pages of an index, and what was asked of it. */
function aList(
  pages: readonly (readonly ListedEntry[])[],
  found: Partial<Awaited<ReturnType<JobIndex['search']>>> = {},
) {
  const asked: Asked[] = [];
  const ranges: unknown[] = [];
  const byId = new Map(pages.flat().map((job) => [job.id, job as ListedJob]));
  const index = {
    async *pages(range: unknown, after: ListedKey | undefined, expected?: number) {
      asked.push({ pages: { after, expected } });
      ranges.push(range);
      yield* pages;
    },
    jobs: async (of: readonly { id: string }[]) => of.flatMap(({ id }) => byId.get(id) ?? []),
    containing: async (of: readonly { id: string }[]) => ({ found: new Set(of.map(({ id }) => id)), bytes: 10 }),
    search: async (_words: unknown, _range: unknown, { limit }: { limit: Required<Asked>['limit'] }) => {
      asked.push({ limit });
      return { jobs: [], next: undefined, isTooLarge: false, ...found };
    },
  } as unknown as JobIndex;
  const context: FilterContext = {
    index,
    labels: { read: async () => new Map() } as unknown as JobLabelStore,
    clock: { now: () => Date.parse('2026-11-20T12:00:00.000Z') } as FilterContext['clock'],
    threads: { turns: async () => [...byId.keys()].map((jobId) => ({ jobId })) } as unknown as FilterContext['threads'],
    trees: { read: async () => ({ members: [], stopped: {}, version: 0 }) },
  };
  return { context, asked, ranges };
}

function reading(request: Partial<JobListQuery>, differences: Partial<Reading> = {}): Reading {
  return {
    request: { limit: undefined, offset: undefined, ...request },
    range: {},
    filter: everything,
    position: { counted: 0, from: 0 },
    limit: 2,
    ...differences,
  };
}

const idsOf = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id);

it('a list without a search reads whole pages, and counts all matches', async () => {
  const { context, asked } = aList([newest.slice(0, 3), newest.slice(3)]);
  const read = await scanned(context, reading({}));
  expect(idsOf(read)).toEqual(['job-5', 'job-4']);
  expect(read.total).toBe(5);
  const after = { id: 'job-4', created_at: '2026-11-20T10:04:00.000Z' };
  expect(read.next).toEqual({ position: { after, counted: 2, from: 2 }, isComplete: true });
  expect(asked).toEqual([{ pages: { after: undefined, expected: undefined } }]);
});

it('a search reads 400 jobs at once, and no further than a full page', async () => {
  const { context, asked } = aList([newest.slice(0, 3), newest.slice(3)]);
  const read = await scanned(context, reading({ search: 'needle' }));
  expect(read).toMatchObject({ total: 3, next: { isComplete: false } });
  expect(asked).toEqual([{ pages: { after: undefined, expected: 400 } }]);
});

it.each<[string, Partial<FilterContext>, number, boolean]>([
  ['more jobs than it reads', { mostRead: 5 }, 5, false],
  ['fewer jobs than it reads', { mostRead: 6 }, 5, true],
  ['as many bytes as it reads', { mostBytes: 20 }, 5, false],
  ['fewer bytes than it reads', { mostBytes: 21 }, 5, true],
  ['a first page beyond that', { mostRead: 2 }, 2, false],
])('a search that finds %s', async (_what, limits, total, isComplete) => {
  const { context } = aList([newest.slice(0, 3), newest.slice(3)]);
  const read = await scanned({ ...context, ...limits }, reading({ search: 'needle' }, { limit: 9 }));
  const last = { 5: 'job-1', 2: 'job-4' }[total];
  expect(read).toMatchObject({ total, next: { isComplete } });
  expect(read.next.position?.after?.id).toBe(isComplete ? undefined : last);
});

it.each([
  ['newest', {}, ['job-5', 'job-4', 'job-3', 'job-2', 'job-1']],
  ['oldest', { order: 'oldest' }, ['job-1', 'job-2', 'job-3', 'job-4', 'job-5']],
  ['from', { from: '2026-11-20T10:03:00.000Z' }, ['job-5', 'job-4', 'job-3']],
  ['to', { to: '2026-11-20T10:03:00.000Z' }, ['job-3', 'job-2', 'job-1']],
] as const)('the turns of a thread: %s', async (_name, range, ids) => {
  const { context, asked } = aList([newest.toReversed()]);
  const read = await scanned(context, reading({ thread: 'thread_1' }, { range, limit: 9 }));
  expect(idsOf(read)).toEqual(ids);
  expect(asked).toEqual([]);
  const [, second] = ids.map((id) => newest.find((job) => job.id === id));
  const position = { after: second, counted: 2, from: 2 };
  const rest = await scanned(context, reading({ thread: 'thread_1' }, { range, limit: 9, position }));
  expect(idsOf(rest)).toEqual(ids.slice(2));
  expect(rest.total).toBe(ids.length);
});

it('a filter that needs the state reads the jobs that its summary does not exclude', async () => {
  const entries = newest.map(({ id, created_at, project_id, project, profile, details }) => ({
    ...{ id, created_at, project_id, project, profile, details },
  }));
  const { context } = aList([entries]);
  const read: string[] = [];
  const jobs = async (of: readonly { id: string }[]) => {
    read.push(...of.map(({ id }) => id));
    return newest.filter(({ id }) => id !== 'job-2' && of.some((one) => one.id === id));
  };
  const filter = { ...everything, needsState: true, mayMatch: ({ id }: { id: string }) => id !== 'job-4' };
  const found = await scanned(
    { ...context, index: Object.assign(context.index, { jobs }) },
    reading({}, { filter, limit: 9 }),
  );
  expect(read).toEqual(['job-5', 'job-3', 'job-2', 'job-1']);
  // One is gone by now.
  expect(idsOf(found)).toEqual(['job-5', 'job-3', 'job-1']);
});

it.each([
  ['newest', {}, { to: '2026-10-31T23:59:59.999Z' }],
  ['newest', { to: '2026-10-10T00:00:00.000Z' }, { to: '2026-10-10T00:00:00.000Z' }],
  ['newest', { to: '2026-11-10T00:00:00.000Z' }, { to: '2026-10-31T23:59:59.999Z' }],
  ['oldest', {}, { from: '2026-10-01T00:00:00.000Z' }],
  ['oldest', { from: '2026-10-10T00:00:00.000Z' }, { from: '2026-10-10T00:00:00.000Z' }],
  ['oldest', { from: '2026-09-10T00:00:00.000Z' }, { from: '2026-10-01T00:00:00.000Z' }],
] as const)('a month that is too large is read in order: %s first, %o', async (order, range, expected) => {
  const { context, ranges } = aList([newest], { next: '2026-10', isTooLarge: true });
  const read = await searched(context, reading({ search: 'needle' }, { range: { order, ...range } }));
  expect(ranges).toEqual([{ order, ...range, ...expected }]);
  expect(idsOf(read)).toEqual(['job-5', 'job-4']);
});

it('a search of months has its limits, and says where it continues', async () => {
  const { context, asked } = aList([], { jobs: newest.slice(0, 3), next: '2026-10' });
  const first = await searched({ ...context, mostRead: 7, mostBytes: 8 }, reading({ search: 'needle' }));
  expect(asked).toEqual([{ limit: { rows: 7, bytes: 8 } }]);
  expect(first).toMatchObject({ total: 3, next: { position: { counted: 0, from: 2 }, isComplete: false } });
  const position = { month: '2026-11', counted: 1, from: 3 };
  const second = await searched(context, reading({ search: 'needle' }, { position }));
  expect(idsOf(second)).toEqual(['job-3']);
  expect(second.next).toMatchObject({ position: { month: '2026-10', counted: 4, from: 4 }, isComplete: false });
});

it('a full page of the last month continues in it', async () => {
  const { context } = aList([], { jobs: newest.slice(0, 3) });
  const position = { month: '2026-11', counted: 0, from: 0 };
  const full = await searched(context, reading({ search: 'needle' }, { position }));
  expect(full.next).toMatchObject({ position: { month: '2026-11', counted: 0, from: 2 }, isComplete: true });
  const fits = await searched(context, reading({ search: 'needle' }, { position, limit: 3 }));
  expect(fits.next).toEqual({ position: undefined, isComplete: true });
});
