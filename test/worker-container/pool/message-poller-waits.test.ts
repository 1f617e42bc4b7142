import { expect, it } from 'vitest';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import { MESSAGE, sourceOver } from './a-source.ts';

it('an empty queue is long-polled, not polled in a busy loop', async () => {
  const { source, time, calls, leaving, runUntil } = sourceOver(() => undefined);
  void source.next(leaving.signal);
  await runUntil(() => time.now > 65_000 || leaving.signal.aborted);
  leaving.abort();
  for (const band of ['high', 'normal', 'low']) {
    const waits = calls.filter((call) => call.band === band && call.seconds > 0);
    expect(waits.map(({ at }) => Math.floor(at))).toEqual([0, 20, 40, 60]);
  }
});

it('a last poll waits for receives in progress, and for nothing else', async () => {
  let left = 1;
  const { source, leaving, runUntil } = sourceOver(() => (left-- > 0 ? MESSAGE : undefined));
  const taken = source.next(leaving.signal);
  await runUntil(() => left < 1);
  let isLast: boolean | undefined;
  void taken.then(async () => {
    isLast = await source.lastPoll();
  });
  await runUntil(() => isLast !== undefined);
  expect([(await taken)?.message.job, isLast]).toEqual(['job', true]);
});

it('after a last poll that failed, messages are taken as before', async () => {
  let isBroken = true;
  const { source, leaving, runUntil } = sourceOver(() => {
    if (isBroken) throw new Error('throttled');
    return MESSAGE;
  });
  let isLast: boolean | undefined;
  void source.lastPoll().then((answer) => {
    isLast = answer;
  });
  await runUntil(() => isLast !== undefined);
  expect(isLast).toBe(false);
  isBroken = false;
  let taken: ReceivedMessage | undefined;
  void source.next(leaving.signal).then((received) => {
    taken = received;
  });
  await runUntil(() => taken !== undefined);
  expect(taken).toEqual(MESSAGE);
});

it('a band that was empty a moment ago is not polled again, except by the long poll', async () => {
  let hasNormal = true;
  const { source, time, calls, leaving, runUntil } = sourceOver((band) =>
    hasNormal && band === 'normal' ? MESSAGE : undefined,
  );
  const taken: unknown[] = [];
  const take = async () => void taken.push(await source.next(leaving.signal));
  void take().then(take);
  await runUntil(() => taken.length === 2);
  expect(calls.map(({ band }) => band)).toEqual(['high', 'normal', 'normal']);
  hasNormal = false;
  void take();
  const since = time.now;
  await runUntil(() => time.now > since + 5_000);
  const waits = calls.filter(({ seconds }) => seconds > 0).map(({ band }) => band);
  expect(waits).toEqual(['high', 'normal', 'low']);
  leaving.abort();
});

it('a band that is long-polled is not polled by another slot', async () => {
  const { calls, take, leaving, runFor } = sourceOver(() => undefined);
  void take();
  await runFor(500);
  void take();
  await runFor(500);
  expect(calls.map(({ seconds }) => seconds)).toEqual([0, 0, 0, 20, 20, 20]);
  leaving.abort();
});

it('slots that ask during the last poll look for no band that has waited too long', async () => {
  let reads = 0;
  const starvingBands = async () => {
    reads += 1;
    return [];
  };
  const { take, lastPoll, runFor } = sourceOver(() => undefined, { starvingBands });
  lastPoll();
  for (let n = 0; n < 16; n += 1) {
    void take();
    await runFor(1);
  }
  expect(reads).toBe(0);
});
