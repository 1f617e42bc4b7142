import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Band } from '../../../lib/platform/aws/tables.ts';
import { MessagePoller } from '../../../worker-container/pool/message-poller.ts';
import { MESSAGE, sourceOver } from './a-source.ts';

const BANDS: readonly string[] = ['high', 'normal', 'low'];
const shortPolls = (calls: readonly { readonly seconds: number; readonly band: string }[]) =>
  calls.filter(({ seconds }) => seconds === 0).map(({ band }) => band);

/** The bands of so many messages, where each band has as many as are wanted. */
async function bandsOf(count: number, starving: () => Promise<readonly Band[]>) {
  const made = sourceOver((band) => ({ ...MESSAGE, message: { ...MESSAGE.message, band: band as Band } }), {
    starvingBands: starving,
  });
  for (let n = 1; n <= count; n += 1) {
    void made.take();
    await made.runUntil(() => made.taken.length === n);
  }
  return { ...made, bands: made.taken.map((received) => received?.message.band) };
}

describe('a slot', () => {
  it('polls at once if another slot took the message that came', async () => {
    const { take, taken, runUntil, calls } = sourceOver(() => MESSAGE);
    void take();
    void take();
    await runUntil(() => taken.length === 2);
    expect(shortPolls(calls)).toEqual(['high', 'high']);
    expect(calls).toHaveLength(2);
  });

  it('takes a message at once that a long poll brings while it polls', async () => {
    const after: Record<string, number> = { high: 1_000, normal: 1_000.5 };
    const { take, taken, runUntil, runFor, leaving } = sourceOver((band, seconds) => {
      const due = after[band];
      if (due === undefined || seconds === 0) return undefined;
      delete after[band];
      return { ...MESSAGE, after: due };
    });
    void take();
    await runUntil(() => taken.length === 1);
    void take();
    await runFor(10);
    expect(taken).toHaveLength(2);
    leaving.abort();
  });

  it('polls from the highest band to the lowest after a long poll that brought nothing', async () => {
    const { take, runFor, calls, leaving } = sourceOver(() => undefined);
    void take();
    await runFor(30_000);
    leaving.abort();
    expect(calls.map(({ band, seconds }) => `${band} ${seconds}`)).toEqual([
      ...BANDS.map((band) => `${band} 0`),
      ...BANDS.map((band) => `${band} 20`),
      ...BANDS.map((band) => `${band} 0`),
      ...BANDS.map((band) => `${band} 20`),
    ]);
  });

  it('that stops while it polls waits for no long poll, and a message leaves no listener behind', async () => {
    const { take, taken, runFor, leaving } = sourceOver(() => undefined);
    void take();
    await runFor(1);
    leaving.abort();
    await runFor(10);
    expect(taken).toEqual([undefined]);
    let isSent = false;
    const other = sourceOver((_, seconds) => (isSent && seconds > 0 ? MESSAGE : undefined));
    void other.take();
    await other.runFor(1);
    isSent = true;
    await other.runUntil(() => other.taken.length === 1);
    expect([other.taken, getEventListeners(other.leaving.signal, 'abort')]).toEqual([[MESSAGE], []]);
  });

  it('receives nothing for a second after a queue did not answer', async () => {
    const { take, runFor, calls, failures, leaving } = sourceOver(() => {
      throw new Error('throttled');
    });
    void take();
    await runFor(2_500);
    leaving.abort();
    expect([calls.map(({ at }) => at), failures.length]).toEqual([[0, 1, 2], 3]);
  });
});

describe('a band that has waited too long', () => {
  it('comes first in each eighth poll, and all such bands take turns', async () => {
    const { bands } = await bandsOf(32, async () => ['low', 'normal']);
    expect(bands.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => 'high'));
    for (const band of ['low', 'normal']) expect(bands.filter((one) => one === band)).toHaveLength(2);
  });

  it('is looked for once a second', async () => {
    let reads = 0;
    const starving = async () => {
      reads += 1;
      return [];
    };
    const { calls, take, runFor } = await bandsOf(32, starving);
    expect([reads, calls.every(({ band }) => BANDS.includes(band))]).toEqual([1, true]);
    await runFor(1_000);
    for (let n = 0; n < 8; n += 1) {
      void take();
      await runFor(10);
    }
    expect(reads).toBe(2);
  });

  it('keeps no message from being taken while it is unknown, which is reported', async () => {
    const { bands, failures } = await bandsOf(16, async () => await Promise.reject(new Error('no answer')));
    expect([bands.length, failures.length]).toEqual([16, 2]);
  });

  it('is not polled once the last poll has begun', async () => {
    const asked = Promise.withResolvers<readonly Band[]>();
    let left = 7;
    const { take, lastPoll, runFor, calls } = sourceOver(() => (left-- > 0 ? MESSAGE : undefined), {
      starvingBands: () => asked.promise,
    });
    for (let n = 0; n < 8; n += 1) {
      void take();
      await runFor(10);
    }
    lastPoll();
    asked.resolve(['low']);
    await runFor(10);
    expect(calls.slice(7).map(({ seconds }) => seconds)).toEqual([1, 1, 1]);
  });
});

describe('a message for which no slot asks any longer', () => {
  it.each([
    ['goes back to its queue', () => Promise.resolve(), 0],
    ['is left to its queue if that does not take it back', () => Promise.reject<void>(new Error('away')), 1],
  ] as const)('%s', async (_, release, failed) => {
    const released: string[] = [];
    const { take, taken, runFor, runUntil, failures } = sourceOver(
      (band, seconds) => (seconds > 0 && band !== 'low' ? MESSAGE : undefined),
      {
        release: async ({ message }) => {
          released.push(message.job);
          await release();
        },
      },
    );
    void take();
    await runUntil(() => taken.length === 1);
    await runFor(10);
    expect([taken, released, failures.length]).toEqual([[MESSAGE], ['job'], failed]);
  });
});

describe('a last poll', () => {
  it('asks all servers of each queue, after which nothing is received', async () => {
    const { take, taken, lastPoll, last, runUntil, runFor, calls } = sourceOver(() => undefined);
    lastPoll();
    await runUntil(() => last.isOver !== undefined);
    expect(last.isOver).toBe(true);
    expect(calls.map(({ band, seconds }) => `${band} ${seconds}`)).toEqual(BANDS.map((band) => `${band} 1`));
    void take();
    await runFor(30_000);
    expect([calls.length, taken]).toEqual([3, []]);
  });

  it('waits for long polls in progress, begins no other, and ends the polls from band to band', async () => {
    const { take, lastPoll, last, runFor, calls, leaving } = sourceOver(() => undefined);
    void take();
    await runFor(500);
    lastPoll();
    await runFor(10_000);
    expect([last.isOver, calls.length]).toEqual([undefined, 6]);
    await runFor(12_000);
    expect([last.isOver, calls.length]).toEqual([true, 9]);
    leaving.abort();
    const other = sourceOver(() => undefined);
    void other.take();
    await other.runFor(0);
    other.lastPoll();
    await other.runFor(10_000);
    expect(shortPolls(other.calls)).toEqual(['high']);
    other.leaving.abort();
  });

  it('gives a slot that waits the message that it brings, and receiving continues', async () => {
    let isSent = true;
    const { take, taken, lastPoll, last, runFor } = sourceOver((band) =>
      isSent && band === 'low' ? MESSAGE : undefined,
    );
    lastPoll();
    void take();
    await runFor(10);
    expect(taken).toEqual([MESSAGE]);
    isSent = false;
    await runFor(2_000);
    expect(last.isOver).toBe(false);
    isSent = true;
    void take();
    await runFor(10);
    expect(taken).toEqual([MESSAGE, MESSAGE]);
  });

  it('ends at once when a long poll in progress brings a message', async () => {
    const { take, taken, lastPoll, last, runFor, calls, leaving } = sourceOver((band, seconds) =>
      seconds > 0 && band === 'low' ? { ...MESSAGE, after: 5_000 } : undefined,
    );
    void take();
    await runFor(1_000);
    lastPoll();
    await runFor(4_500);
    expect([last.isOver, taken.length, calls.length]).toEqual([false, 1, 6]);
    leaving.abort();
  });
});

it('one poll brings messages for all free slots, and no more', async () => {
  const sent = ['a', 'b', 'c', 'd'].map((job) => ({ ...MESSAGE, message: { ...MESSAGE.message, job } }));
  const asked: number[] = [];
  const returned: string[] = [];
  const source = new MessagePoller({
    dispatchQueues: {
      receiveUpTo: async (_, { most }) => {
        asked.push(most);
        // Otherwise a source that polls without end lets no test end.
        if (asked.length > 100) await new Promise(() => undefined);
        return sent.splice(0, most);
      },
      release: async ({ message }) => void returned.push(message.job),
    },
    starvingBands: async () => [],
    onFailure: () => undefined,
  });
  const { signal } = new AbortController();
  const taken = await Promise.all([source.next(signal), source.next(signal), source.next(signal)]);
  expect(taken.map((held) => held?.message.job)).toEqual(['a', 'b', 'c']);
  expect([asked, returned, sent.length]).toEqual([[3], [], 1]);
});
