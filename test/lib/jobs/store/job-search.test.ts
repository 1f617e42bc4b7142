import { BatchGetCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { JobLabelStore } from '../../../../lib/jobs/store/job-labels.ts';
import { JobSearch } from '../../../../lib/jobs/store/job-search.ts';
import { JobTextStore } from '../../../../lib/jobs/store/job-texts.ts';
import type { IndexRange } from '../../../../lib/jobs/store/listed-items.ts';
import { batchGet } from '../../../../lib/platform/aws/batch-get.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const MOST_CALLS = 500;
const AMPLE = { rows: 1_000, bytes: 1_000_000 };

let deployment: QuietDeployment;
let looked: string[];
let search: JobSearch;
beforeEach(() => {
  deployment = quietDeployment();
  looked = [];
  // A search that never ends leaves a timer no time to say so.
  const send = async (command: QueryCommand) => {
    if (deployment.calls.length > MOST_CALLS) throw new Error('the search does not end');
    return await deployment.table.send(command);
  };
  const table = { send } as unknown as DynamoDBDocumentClient;
  const itemsOf = async (ids: readonly string[]) => {
    looked.push(...ids);
    return await batchGet(
      table,
      'jobs',
      ids.map((id) => ({ id })),
    );
  };
  search = new JobSearch({ table, registryTable: 'registry', itemsOf });
});

/** Stores a job that was created on a day, with its texts and title. */
async function store(day: string, prompt: string, title?: string) {
  const id = `job-${day}`;
  const texts = { prompt, project: 'p' };
  const labels = title === undefined ? undefined : JobLabelStore.address({ title });
  const created_at = `2026-${day}T10:00:00.000Z`;
  const job = aJob({ id, created_at, texts: JobTextStore.address(texts), ...(labels !== undefined && { labels }) });
  await deployment.texts.put(job, texts);
  if (title !== undefined) await deployment.texts.labels.put(job, { title });
  return await deployment.store(job);
}
type Options = Partial<Parameters<JobSearch['search']>[2]> & { words?: readonly string[] };
async function found(range: IndexRange = {}, { words = ['hello'], ...options }: Options = {}) {
  const { items, ...end } = await search.search(words, range, {
    ...{ now: NOW, month: undefined, limit: AMPLE, oldest: '2026-09' },
    ...options,
  });
  return { ids: items.map(({ id }) => String(id).replace('job-', '')), ...end };
}
/** The months whose rows were read. */
const monthsRead = () => {
  const kinds = deployment.calls.flatMap((call) =>
    call instanceof QueryCommand ? [String(call.input.ExpressionAttributeValues?.[':kind'])] : [],
  );
  return [...new Set(kinds.filter((kind) => kind.startsWith('texts')).map((kind) => kind.split('#')[1]))];
};
/** The size of a row of `perMonth`. */
const ROW = [`texts#2026-11#0job-11-15#${'0'.repeat(16)}`, JSON.stringify({ prompt: 'hello', project: 'p' })].join(
  '',
).length;
const END = { next: undefined, isTooLarge: false };
const perMonth = async () => {
  for (const day of ['09-15', '10-15', '11-15', '11-16']) await store(day, 'hello');
};

describe('a search', () => {
  it('finds the jobs of all months, in either order', async () => {
    await perMonth();
    expect(await found()).toEqual({ ids: ['11-16', '11-15', '10-15', '09-15'], ...END });
    expect(monthsRead()).toEqual(['2026-11', '2026-10', '2026-09']);
    expect(await found({ order: 'oldest' })).toEqual({ ids: ['09-15', '10-15', '11-15', '11-16'], ...END });
  });

  it.each<[range: IndexRange, ids: string[], months: string[]]>([
    [{ from: '2026-10-15T10:00:00.000Z' }, ['11-16', '11-15', '10-15'], ['2026-11', '2026-10']],
    [{ from: '2026-10-15T10:00:00.001Z' }, ['11-16', '11-15'], ['2026-11', '2026-10']],
    [{ from: '2020-01-01T00:00:00.000Z' }, ['11-16', '11-15', '10-15', '09-15'], ['2026-11', '2026-10', '2026-09']],
    [{ to: '2026-11-15T10:00:00.000Z' }, ['11-15', '10-15', '09-15'], ['2026-11', '2026-10', '2026-09']],
    [{ to: '2026-11-15T09:59:59.999Z' }, ['10-15', '09-15'], ['2026-11', '2026-10', '2026-09']],
    [{ to: '2026-09-30T00:00:00.000Z' }, ['09-15'], ['2026-09']],
    [{ to: '2030-01-01T00:00:00.000Z' }, ['11-16', '11-15', '10-15', '09-15'], ['2026-11', '2026-10', '2026-09']],
    [{ from: '2026-12-01T00:00:00.000Z' }, [], []],
  ])('reads only the months of its range: %o', async (range, ids, months) => {
    await perMonth();
    deployment.calls.length = 0;
    expect(await found(range)).toEqual({ ids, ...END });
    expect(monthsRead()).toEqual(months);
  });

  it('continues with the month after which it has stopped', async () => {
    await perMonth();
    for (const limit of [
      { ...AMPLE, rows: 2 },
      { ...AMPLE, bytes: 2 * ROW },
    ]) {
      deployment.calls.length = 0;
      const { next, ...first } = await found({}, { limit });
      expect(monthsRead()).toEqual(['2026-11']);
      expect([first, next]).toEqual([{ ids: ['11-16', '11-15'], isTooLarge: false }, '2026-10']);
      expect((await found({}, { month: next })).ids).toEqual(['10-15', '09-15']);
    }
    const forward = await found({ order: 'oldest' }, { limit: { ...AMPLE, rows: 1 } });
    expect(forward).toEqual({ ids: ['09-15'], next: '2026-10', isTooLarge: false });
    expect(await found({ order: 'oldest' }, { month: '2026-11' })).toEqual({ ids: ['11-15', '11-16'], ...END });
    expect(await found({}, { month: '2026-09', limit: { ...AMPLE, rows: 1 } })).toEqual({ ids: ['09-15'], ...END });
  });

  it('reports a month that alone has more than may be read, and leaves out one with more than the rest', async () => {
    await perMonth();
    for (const limit of [
      { ...AMPLE, rows: 1 },
      { ...AMPLE, bytes: 10 },
    ])
      expect(await found({}, { limit })).toEqual({ ids: [], next: '2026-11', isTooLarge: true });
    expect(await found({ order: 'oldest' }, { limit: { ...AMPLE, rows: 3 } })).toEqual({
      ids: ['09-15', '10-15'],
      next: '2026-11',
      isTooLarge: false,
    });
  });

  it('reads no further in a month that has more than may be read', async () => {
    const pages: unknown[] = [];
    const send = async (command: QueryCommand) => {
      const isPaged = command.input.ExpressionAttributeValues?.[':kind'] === 'texts#2026-11#0';
      if (!isPaged) return { Items: [] };
      pages.push(command);
      const id = `job-${pages.length}#a`;
      const Items = [{ id, body: JSON.stringify({ prompt: 'hello', project: 'p' }) }];
      return { Items, ...(pages.length < 9 && { LastEvaluatedKey: { id } }) };
    };
    const paged = new JobSearch({
      table: { send } as unknown as DynamoDBDocumentClient,
      registryTable: 'registry',
      itemsOf: async () => [],
    });
    const options = { now: NOW, month: undefined, limit: { ...AMPLE, rows: 2 }, oldest: '2026-11' };
    expect(await paged.search(['hello'], {}, options)).toEqual({ items: [], next: '2026-11', isTooLarge: true });
    expect(pages).toHaveLength(3);
  });

  it('finds words that texts and title have together, and looks at no other job', async () => {
    await store('11-01', 'hello', 'A title');
    await store('11-02', 'hello', 'Another');
    await store('11-03', 'bye', 'A title');
    expect((await found({}, { words: ['hello', 'title'] })).ids).toEqual(['11-01']);
    expect(looked).toEqual(['job-11-01']);
  });

  it('ignores texts and titles that an edit has replaced', async () => {
    const job = await store('11-01', 'hello', 'A title');
    const texts = { prompt: 'bye', project: 'p' };
    const edited = { ...job, texts: JobTextStore.address(texts) };
    await deployment.texts.put(edited, texts);
    await deployment.jobs.apply(job, edited);
    expect((await found({}, { words: ['hello'] })).ids).toEqual([]);
    expect((await found({}, { words: ['hello', 'title'] })).ids).toEqual([]);
    expect((await found({}, { words: ['bye', 'title'] })).ids).toEqual(['11-01']);
  });
});

it('among given jobs, those are found whose current texts and titles have all words', async () => {
  const size = (...texts: string[]) => texts.join('').length;
  await store('11-01', 'hello', 'A title');
  await store('11-02', 'hello');
  await store('11-03', 'bye', 'A title');
  const all = ['job-11-01', 'job-11-02', 'job-11-03', 'job-none'];
  deployment.calls.length = 0;
  const { found: both, bytes } = await search.among(all, ['hello', 'title']);
  expect(both).toEqual(new Set(['job-11-01']));
  const keys = deployment.calls.flatMap((call) =>
    call instanceof BatchGetCommand ? (call.input.RequestItems?.registry?.Keys ?? []) : [],
  );
  // The texts of three jobs, and the titles of the two that have one.
  expect(keys).toHaveLength(5);
  expect(bytes).toBeGreaterThan(size('hello', 'A title', 'hello', 'bye', 'A title'));
  expect((await search.among(['job-11-02'], ['hello'])).found).toEqual(new Set(['job-11-02']));
  expect(await search.among([], ['hello'])).toEqual({ found: new Set(), bytes: 0 });
});
