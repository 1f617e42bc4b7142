import type { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { readProjectStats, statusCountsIn } from '../../../lib/counters/stats-items.ts';

const project = (id: string) => ({ id, name: id, created_at: 'then' });
const NONE = { DRAFT: 0, QUEUED: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 };

/** Answers with at most so many of the keys that a request asks for. */
function tableWith(items: readonly { id: string }[], most: number) {
  const requests: number[] = [];
  const send = async ({ input }: BatchGetCommand) => {
    const { Keys = [] } = input.RequestItems?.registry ?? {};
    // As DynamoDB does.
    if (Keys.length === 0) throw new Error('ValidationException: a request needs keys');
    requests.push(Keys.length);
    expect(Keys.every(({ kind }) => kind === 'project-figures')).toBe(true);
    const asked = new Set(Keys.slice(0, most).map(({ id }): unknown => id));
    const left = Keys.slice(most);
    return {
      Responses: { registry: items.filter(({ id }) => asked.has(id)) },
      UnprocessedKeys: { registry: { Keys: left } },
    };
  };
  return { requests, registry: { table: { send } as unknown as DynamoDBDocumentClient, registryTable: 'registry' } };
}

it('the counters of projects are shown in their order, as zero where nothing is counted', async () => {
  const items = [
    { id: 'b', n_QUEUED: 2, t_in: 5, active_at: '2026-11-20T10:00:00.000Z' },
    { id: 'a', n_FAILED: 1, active_at: 7 },
  ];
  const shown = await readProjectStats(tableWith(items, 100).registry, ['c', 'a', 'b'].map(project));
  expect(shown).toMatchObject([
    { project: project('c'), jobCounts: NONE, tokens: { input_tokens: 0 }, lastActivityAt: null },
    { project: project('a'), jobCounts: { ...NONE, FAILED: 1 }, lastActivityAt: null },
    {
      ...{ project: project('b'), jobCounts: { ...NONE, QUEUED: 2 }, tokens: { input_tokens: 5 } },
      lastActivityAt: '2026-11-20T10:00:00.000Z',
    },
  ]);
  expect(statusCountsIn({})).toEqual(NONE);
});

it.each([
  [0, 100, []],
  [100, 100, [100]],
  [101, 100, [100, 1]],
  [101, 60, [100, 1, 40]],
])(
  '%i projects are read by a hundred at a time, and what a request leaves is asked for again: %i',
  async (count, most, requests) => {
    const ids = Array.from({ length: count }, (_, at) => `project-${at}`);
    const table = tableWith(
      ids.map((id) => ({ id, n_DRAFT: 1 })),
      most,
    );
    const shown = await readProjectStats(table.registry, ids.map(project));
    expect(shown.map(({ jobCounts }) => jobCounts.DRAFT)).toEqual(ids.map(() => 1));
    expect(table.requests).toEqual(requests);
  },
);
