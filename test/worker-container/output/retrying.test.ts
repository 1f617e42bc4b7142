import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { retrying } from '../../../worker-container/output/retrying.ts';
import { deadline, pause } from '../../../worker-container/output/timing.ts';
import { virtualTiming } from './virtual-timing.ts';

/** Lets what has been resolved act. */
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

/** Work that fails some times, at which moments (ms) it is tried, and its end. */
function tried({ failures = Infinity, tries }: { failures?: number; tries?: number } = {}) {
  const timing = virtualTiming();
  const stop = new AbortController();
  const at: number[] = [];
  const told: unknown[] = [];
  const work = async () => {
    at.push(timing.now());
    if (at.length <= failures) throw new Error(`failure ${at.length}`);
  };
  const onFailure = (error: unknown) => void told.push(error);
  const done = retrying(work, { timing, signal: stop.signal, onFailure, ...(tries !== undefined && { tries }) });
  const end = done.then(
    () => 'done',
    (error: unknown) => String(error),
  );
  const pass = async (milliseconds: number, steps: number) => {
    for (let step = 0; step < steps; step += 1) {
      await settled();
      timing.advance(milliseconds / steps);
    }
    await settled();
  };
  return { at, told, end, stop, pass };
}

it('pauses between tries double from a quarter of a second to a quarter of a minute', async () => {
  const { at, told, end, pass } = tried({ failures: 9 });
  await pass(62_000, 248);
  expect(at).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 30_750, 45_750, 60_750]);
  expect(told).toHaveLength(9);
  expect(await end).toBe('done');
});

it('the last of a number of tries ends with its error, which is reported as well', async () => {
  const { at, told, end, pass } = tried({ tries: 3 });
  await pass(10_000, 40);
  expect(at).toEqual([0, 250, 750]);
  expect(told).toHaveLength(3);
  expect(await end).toBe('Error: failure 3');
});

it('a stop ends a pause at once, and what fails after it is not reported', async () => {
  const { at, told, end, stop, pass } = tried();
  await pass(100, 1);
  stop.abort(new Error('stopped'));
  expect(await end).toBe('Error: stopped');
  expect([at, told.length]).toEqual([[0], 1]);
  const stopped = AbortSignal.abort(new Error('earlier'));
  let hasWorked = false;
  const work = async () => {
    hasWorked = true;
  };
  const unwanted = retrying(work, { timing: virtualTiming(), signal: stopped, onFailure: () => undefined });
  await expect(unwanted).rejects.toThrow('earlier');
  expect(hasWorked).toBe(false);
  const during = new AbortController();
  const failing = retrying(
    async () => {
      during.abort(new Error('stopped meanwhile'));
      throw new Error('of the work');
    },
    { timing: virtualTiming(), signal: during.signal, onFailure: (error) => told.push(error) },
  );
  await expect(failing).rejects.toThrow('stopped meanwhile');
  expect(told).toHaveLength(1);
});

it('a deadline counts from now, or from another signal', () => {
  const timing = virtualTiming();
  const from = new AbortController();
  const signals = [
    deadline(timing, 100),
    deadline(timing, 100, from.signal),
    deadline(timing, 100, AbortSignal.abort()),
  ] as const;
  const over = () => signals.map(({ aborted }) => aborted);
  timing.advance(99);
  expect(over()).toEqual([false, false, false]);
  timing.advance(1);
  expect(over()).toEqual([true, false, true]);
  expect(signals[0].reason).toMatchObject({ name: 'TimeoutError' });
  from.abort();
  timing.advance(99);
  expect(over()).toEqual([true, false, true]);
  timing.advance(1);
  expect(over()).toEqual([true, true, true]);
});

it('a pause that is ended leaves no timer behind', async () => {
  const timing = virtualTiming();
  const stop = new AbortController();
  const ended = pause(timing, 1_000, stop.signal);
  expect(timing.scheduled()).toBe(1);
  stop.abort();
  await ended;
  expect(timing.scheduled()).toBe(0);
  await pause(timing, 1_000, stop.signal);
  expect(timing.scheduled()).toBe(0);
});

it('a pause that is over no longer listens to its signal', async () => {
  const timing = virtualTiming();
  const { signal } = new AbortController();
  const over = pause(timing, 1_000, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  timing.advance(1_000);
  await over;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
