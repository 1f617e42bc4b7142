import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { ListedKey } from '../../../../lib/jobs/store/list-position.ts';
import { type ListRange, type ListReading, listedItems, oldestFirst } from '../../../../lib/jobs/store/listed-items.ts';

const MOST_QUERIES = 200;
const at = (milliseconds: number) => `2026-11-20T10:00:00.${String(milliseconds).padStart(3, '0')}Z`;
const entry = (id: string, milliseconds: number) => ({ id, created_at: at(milliseconds) });

/** Reads a list whose partitions have these entries; `queries` has what was asked. An index sorts by time alone. */
async function listed(
  partitions: Record<string, readonly ListedKey[]>,
  range: ListRange = {},
  reading: ListReading = {},
) {
  const queries: { key: string; index: string | undefined; bounds: unknown[]; limit: number | undefined }[] = [];
  const send = async ({ input }: QueryCommand) => {
    const { ':key': key, ':from': from = '0000', ':to': to = '9999' } = input.ExpressionAttributeValues ?? {};
    const bounds = [':from', ':to'].flatMap((name) => input.ExpressionAttributeValues?.[name] ?? []);
    // A list that never ends leaves a timer no time to say so.
    if (queries.length > MOST_QUERIES) throw new Error('the list does not end');
    queries.push({ key, index: input.IndexName, bounds, limit: input.Limit });
    const entries = (partitions[key] ?? []).filter(({ created_at }) => created_at >= from && created_at <= to);
    const sorted = entries.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
    if (input.ScanIndexForward === false) sorted.reverse();
    const start = Number(input.ExclusiveStartKey?.at ?? 0);
    const end = start + (input.Limit ?? sorted.length);
    return { Items: sorted.slice(start, end), ...(end < sorted.length && { LastEvaluatedKey: { at: end } }) };
  };
  const parts = await Array.fromAsync(
    listedItems({ send } as unknown as DynamoDBDocumentClient, 'jobs', range, reading),
  );
  return { ids: parts.flat().map(({ id }) => id), parts, queries };
}

/** Several of each millisecond, in one partition and in others, by no order of their ids. */
const SPREAD = {
  'jobs#0': [entry('e', 1), entry('b', 1), entry('z', 1), entry('a', 3), entry('h', 3)],
  'jobs#1': [entry('c', 1), entry('g', 2), entry('d', 2)],
  'jobs#2': [],
  'jobs#3': [entry('f', 3)],
};
const OLDEST_FIRST = ['b', 'c', 'e', 'z', 'd', 'g', 'a', 'f', 'h'];

describe('the entries of all partitions', () => {
  it.each([1, 2, 3, undefined])('are each listed once, by their time and id, %s for each query', async (perQuery) => {
    const { ids, parts } = await listed(SPREAD, { order: 'oldest' }, { perQuery });
    expect(ids).toEqual(OLDEST_FIRST);
    expect(parts.filter((part) => part.length === 0)).toEqual([]);
    expect((await listed(SPREAD, { order: 'newest' }, { perQuery })).ids).toEqual(OLDEST_FIRST.toReversed());
    expect((await listed(SPREAD, {}, { perQuery })).ids).toEqual(OLDEST_FIRST.toReversed());
  });

  it.each(OLDEST_FIRST.map((id, place) => [id, place] as const))('continue after %s', async (id, place) => {
    const after = Object.values(SPREAD)
      .flat()
      .find((one) => one.id === id);
    for (const perQuery of [1, 2, undefined]) {
      const oldest = await listed(SPREAD, { order: 'oldest' }, { after, perQuery });
      expect(oldest.ids).toEqual(OLDEST_FIRST.slice(place + 1));
      const newest = await listed(SPREAD, { order: 'newest' }, { after, perQuery });
      expect(newest.ids).toEqual(OLDEST_FIRST.slice(0, place).toReversed());
    }
  });

  it('are listed once, though one moves to another partition meanwhile', async () => {
    const moved = { 'FAILED#0': [entry('a', 1), entry('b', 2)], 'FAILED#1': [entry('b', 2), entry('c', 2)] };
    expect((await listed(moved, { status: 'FAILED', order: 'oldest' })).ids).toEqual(['a', 'b', 'c']);
    expect((await listed(moved, { status: 'FAILED' })).ids).toEqual(['c', 'b', 'a']);
  });

  it('are none of an empty list', async () => {
    expect((await listed({})).parts).toEqual([]);
  });

  it('are listed in parts as they are read, so that a reader may stop', async () => {
    const { parts } = await listed(
      { 'jobs#0': [entry('a', 1), entry('b', 2), entry('c', 3)] },
      { order: 'oldest' },
      { perQuery: 2 },
    );
    expect(parts.map((part) => part.map(({ id }) => id))).toEqual([['a'], ['b', 'c']]);
  });
});

describe('a query', () => {
  it.each<[index: string, keys: string[], range: ListRange]>([
    ['by-time-2', ['jobs#0', 'jobs#1', 'jobs#2', 'jobs#3'], {}],
    ['by-status-2', ['FAILED#0', 'FAILED#1', 'FAILED#2', 'FAILED#3'], { status: 'FAILED' }],
    ['by-status-2', [0, 1, 2, 3].map((suffix) => `RUNNING-question#${suffix}`), { status: 'RUNNING', needs: 'answer' }],
    [
      'by-status-2',
      ['QUEUED', 'RUNNING'].flatMap((state) => [0, 1, 2, 3].map((suffix) => `${state}-question#${suffix}`)),
      { needs: 'answer' },
    ],
  ])('of the index %s reads %j', async (index, keys, range) => {
    const { queries } = await listed({}, range);
    expect(queries).toEqual(keys.map((key) => ({ key, index, bounds: [], limit: undefined })));
  });

  const [OLD, MIDDLE, NEW] = [at(1), at(2), at(3)];
  it.each<[bounds: string[], range: ListRange, after: string | undefined]>([
    [[], {}, undefined],
    [[OLD, '9999'], { from: OLD }, undefined],
    [['0000', NEW], { to: NEW }, undefined],
    [[OLD, NEW], { from: OLD, to: NEW }, undefined],
    [['0000', MIDDLE], {}, MIDDLE],
    [[MIDDLE, '9999'], { order: 'oldest' }, MIDDLE],
    [[OLD, MIDDLE], { from: OLD, to: NEW }, MIDDLE],
    [[MIDDLE, NEW], { from: OLD, to: NEW, order: 'oldest' }, MIDDLE],
    [[OLD, MIDDLE], { from: OLD, to: MIDDLE }, NEW],
    [[MIDDLE, NEW], { from: MIDDLE, to: NEW, order: 'oldest' }, OLD],
  ])('reads from and to %j', async (bounds, range, after) => {
    const { queries } = await listed({}, range, after === undefined ? {} : { after: { id: 'm', created_at: after } });
    expect(queries.map((query) => query.bounds)).toEqual([bounds, bounds, bounds, bounds]);
  });

  it('is not made if its range ends before it begins', async () => {
    expect((await listed(SPREAD, { from: NEW, to: OLD })).queries).toEqual([]);
    const after = { id: 'm', created_at: OLD };
    expect((await listed(SPREAD, { from: NEW }, { after })).queries).toEqual([]);
    expect((await listed(SPREAD, { from: MIDDLE, to: MIDDLE })).ids).toEqual(['g', 'd']);
  });

  it('is not made again of a partition that has been read, or that has an entry left', async () => {
    const many = { 'jobs#0': [1, 2, 3, 4].map((n) => entry(`a${n}`, n)), 'jobs#1': [entry('b', 9)] };
    const { queries } = await listed(many, { order: 'oldest' }, { perQuery: 3 });
    expect(queries.map(({ key, limit }) => [key, limit])).toEqual([
      ...['jobs#0', 'jobs#1', 'jobs#2', 'jobs#3'].map((key) => [key, 3]),
      ['jobs#0', 3],
    ]);
  });
});

it.each([
  [-1, entry('b', 1), entry('a', 2)],
  [1, entry('a', 2), entry('b', 1)],
  [-1, entry('a', 1), entry('b', 1)],
  [1, entry('b', 1), entry('a', 1)],
  [0, entry('a', 1), entry('a', 1)],
])('jobs are compared by their time, then by their id: %s', (order, a, b) => {
  expect(oldestFirst(a, b)).toBe(order);
});
