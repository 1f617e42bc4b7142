import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LiveWorkers, REGISTER_INTERVAL_MS } from '../../../lib/workers/live-workers.ts';
import { Registration } from '../../../worker-container/pool/registration.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A worker whose registry may stop to answer, and ends its commands after a minute without an answer. */
function registering(register: LiveWorkers['register'] = async () => true) {
  const workers = { register: vi.fn(register), deregister: vi.fn(async () => undefined) };
  const onUnacknowledged = vi.fn();
  const registration = new Registration({
    ...{ workers, log: { warn: () => undefined }, unacknowledgedLimitMs: 60_000, onUnacknowledged },
    describe: async () => ({ id: 'worker-1' }) as never,
  });
  return { registration, onUnacknowledged, ...workers };
}

test('a worker that is to stop before it starts registers nothing', async () => {
  const { registration, register } = registering(async () => false);
  await registration.start(AbortSignal.abort());
  expect(register).not.toHaveBeenCalled();
});

test('a first registration that fails is repeated a second later', async () => {
  const draining = new AbortController();
  const { registration, register } = registering(async () => {
    if (register.mock.calls.length > 5) draining.abort();
    return false;
  });
  const started = registration.start(draining.signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(register).toHaveBeenCalledTimes(1);
  draining.abort();
  await started;
});

test('a worker registers until it ends, and has then no entry', async () => {
  const { registration, register, deregister, onUnacknowledged } = registering();
  await registration.start(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(REGISTER_INTERVAL_MS);
  expect(register).toHaveBeenCalledTimes(2);
  await registration.end();
  // A worker that does not leave names no reason.
  expect(deregister.mock.calls).toStrictEqual([[{ id: 'worker-1' }]]);
  await vi.advanceTimersByTimeAsync(10 * REGISTER_INTERVAL_MS);
  expect(register).toHaveBeenCalledTimes(2);
  expect(onUnacknowledged).not.toHaveBeenCalled();
});

test('a registry that acknowledges nothing for so long is reported once, and its entry is left to expire', async () => {
  const { registration, deregister, onUnacknowledged, register } = registering();
  await registration.start(new AbortController().signal);
  register.mockRejectedValue(new Error('throttled'));
  await vi.advanceTimersByTimeAsync(59_000);
  expect(onUnacknowledged).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onUnacknowledged).toHaveBeenCalledTimes(1);
  await registration.end();
  expect(deregister).not.toHaveBeenCalled();
});

test('a worker ends when its entry is deleted', async () => {
  const { registration, deregister } = registering();
  await registration.start(new AbortController().signal);
  const deleted = Promise.withResolvers<undefined>();
  deregister.mockImplementation(async () => await deleted.promise);
  let hasEnded = false;
  const ended = registration.end().then(() => {
    hasEnded = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(hasEnded).toBe(false);
  deleted.resolve(undefined);
  await ended;
});
