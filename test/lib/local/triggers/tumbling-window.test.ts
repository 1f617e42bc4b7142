import type { Context, DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TumblingWindow, type WindowedEvent } from '../../../../lib/local/triggers/tumbling-window.ts';

const START = Date.parse('2026-11-25T12:00:00.000Z');
const RECORDS = [{ eventID: 'one' }] as DynamoDBRecord[];

let events: WindowedEvent[];
let answer: unknown;
/** How many the handler has. */
let seconds: number;
let window: TumblingWindow;
beforeEach(() => {
  vi.useFakeTimers({ now: START + 300, toFake: ['Date'] });
  events = [];
  answer = { state: { count: 1 } };
  const handler = async (event: WindowedEvent, about: Context) => {
    events.push(event);
    seconds = Math.round(about.getRemainingTimeInMillis() / 1_000);
    return answer;
  };
  window = new TumblingWindow(handler as never, { arn: 'arn', shard: 'shard' });
});
afterEach(() => vi.useRealTimers());

it('records of one second share a window, whose state goes from call to call', async () => {
  expect(window.remainingMs).toBe(Infinity);
  await window.take([]);
  expect([events, window.remainingMs]).toEqual([[], Infinity]);
  await window.take(RECORDS);
  expect([window.remainingMs, seconds]).toEqual([700, 60]);
  vi.setSystemTime(START + 999);
  answer = undefined;
  await window.take(RECORDS);
  const about = {
    shardId: 'shard',
    eventSourceARN: 'arn',
    isFinalInvokeForWindow: false,
    isWindowTerminatedEarly: false,
  };
  const times = { start: '2026-11-25T12:00:00.000Z', end: '2026-11-25T12:00:01.000Z' };
  expect(events).toEqual([
    { Records: RECORDS, window: times, state: {}, ...about },
    { Records: RECORDS, window: times, state: { count: 1 }, ...about },
  ]);
});

it('a window is ended by a call without records once its time has passed, before the next one begins', async () => {
  await window.take(RECORDS);
  vi.setSystemTime(START + 1_000);
  expect(window.remainingMs).toBe(0);
  answer = {};
  await window.take(RECORDS);
  expect(
    events.map(({ Records, state, isFinalInvokeForWindow }) => [Records.length, state, isFinalInvokeForWindow]),
  ).toEqual([
    [1, {}, false],
    [0, { count: 1 }, true],
    [1, {}, false],
  ]);
  expect(events.at(-1)?.window.start).toBe('2026-11-25T12:00:01.000Z');
  vi.setSystemTime(START + 5_000);
  await window.take([]);
  expect([events.length, events.at(-1)?.isFinalInvokeForWindow, window.remainingMs]).toEqual([4, true, Infinity]);
});

it('a batch of which a record failed is an error, after which the same window continues', async () => {
  answer = { batchItemFailures: [{ itemIdentifier: '7' }], state: { count: 9 } };
  await expect(window.take(RECORDS)).rejects.toThrow('1 records of a batch failed');
  answer = { batchItemFailures: [], state: { count: 2 } };
  await window.take(RECORDS);
  expect(events.map(({ state }) => state)).toEqual([{}, {}]);
});
