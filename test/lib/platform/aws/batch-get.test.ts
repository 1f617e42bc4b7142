import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { batchGet } from '../../../../lib/platform/aws/batch-get.ts';
import { isThrottle } from '../../../../lib/platform/aws/throttles.ts';

/** A table that gives at most 60 items at a time, and what it is asked. */
function table(missing: readonly number[] = []) {
  const asked: [keys: number, consistent: boolean | undefined][] = [];
  const send = async (command: BatchGetCommand) => {
    expect(command).toBeInstanceOf(BatchGetCommand);
    const { Keys = [], ConsistentRead } = command.input.RequestItems?.jobs ?? {};
    asked.push([Keys.length, ConsistentRead]);
    const found = Keys.slice(0, 60).filter(({ id }) => !missing.includes(Number(id)));
    return {
      ...(found.length > 0 && { Responses: { jobs: found } }),
      ...(Keys.length > 60 ? { UnprocessedKeys: { jobs: { Keys: Keys.slice(60) } } } : { UnprocessedKeys: {} }),
    };
  };
  return { asked, table: { send } as unknown as DynamoDBDocumentClient };
}

const keys = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

it('items are asked for a hundred at a time, and once more for what a response left out', async () => {
  const { asked, table: jobs } = table([3]);
  const found = await batchGet(jobs, 'jobs', keys(230));
  expect(found.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    keys(230).flatMap(({ id }) => (id === 3 ? [] : [id])),
  );
  expect(asked.toSorted(([a], [b]) => b - a)).toEqual([
    [100, false],
    [100, false],
    [40, false],
    [40, false],
    [30, false],
  ]);
});

it('no keys are no request, and a consistent read is asked for as one', async () => {
  const none = table();
  expect(await batchGet(none.table, 'jobs', [])).toEqual([]);
  expect(none.asked).toEqual([]);
  const one = table([0]);
  expect(await batchGet(one.table, 'jobs', keys(1), { consistent: true })).toEqual([]);
  expect(one.asked).toEqual([[1, true]]);
});

it('keys that stay left out are asked for after longer and longer pauses, and a limited number of times', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const send = vi.fn(async ({ input }: BatchGetCommand) => ({ UnprocessedKeys: input.RequestItems }));
  const failing = batchGet({ send } as unknown as DynamoDBDocumentClient, 'jobs', keys(2)).catch(
    (error: Error) => error,
  );
  const askedAfter = async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return send.mock.calls.length;
  };
  expect([await askedAfter(49), await askedAfter(1), await askedAfter(99), await askedAfter(1)]).toEqual([1, 2, 2, 3]);
  expect(await askedAfter(60_000)).toBe(7);
  expect([isThrottle(await failing), vi.getTimerCount()]).toEqual([true, 0]);
  vi.useRealTimers();
});
