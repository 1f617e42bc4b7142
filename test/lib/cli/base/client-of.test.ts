import { expect, it } from 'vitest';
import { clientOf, retrySeconds, stoppableClient } from '../../../../lib/cli/base/client-of.ts';
import type { Context } from '../../../../lib/cli/base/context.ts';
import type { StopSignal } from '../../../../lib/cli/base/exit-codes.ts';

/** The context of a command, its handlers of signals, and what it has noted. */
function contextOf(more: Readonly<Record<string, string>> = {}) {
  const handlers = new Set<(by: StopSignal) => void>();
  const notes: string[] = [];
  const context = {
    env: { XDG_CONFIG_HOME: '/nowhere', PROMPTQ_URL: 'http://127.0.0.1:1/', PROMPTQ_TOKEN: 'pq_x', ...more },
    terminal: { note: async (text: string) => void notes.push(text) },
    onStop(handler: (by: StopSignal) => void) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  } as unknown as Context;
  return { context, handlers, notes };
}

it.each([
  [undefined, 60],
  ['', 60],
  ['0', 0],
  ['1.5', 1.5],
  ['999999', 999_999],
])('failing requests are retried for %j seconds: %d', (given, seconds) => {
  expect(retrySeconds({ PROMPTQ_RETRY_SECONDS: given })).toBe(seconds);
});

it.each(['1000000', '-1', 'x', '1.'])('the time %j for retries is refused', (given) => {
  expect(() => retrySeconds({ PROMPTQ_RETRY_SECONDS: given })).toThrow(
    `PROMPTQ_RETRY_SECONDS: received ${given}; expected a number of seconds`,
  );
});

it('a client has the address of this user, notes what it tries again, and retries for no longer than it may', async () => {
  const { context, notes } = contextOf();
  const client = await clientOf(context);
  client.policy.onRetry?.('no answer');
  expect([client.baseUrl, client.policy.retrySeconds, notes]).toEqual([
    'http://127.0.0.1:1',
    60,
    ['no answer; trying again'],
  ]);
  expect((await clientOf(context, { atMostSeconds: 20 })).policy.retrySeconds).toBe(20);
  expect(
    (await clientOf(contextOf({ PROMPTQ_RETRY_SECONDS: '5' }).context, { atMostSeconds: 20 })).policy.retrySeconds,
  ).toBe(5);
});

it('a signal ends the requests of a client once, so that another one ends the command', async () => {
  const { context, handlers } = contextOf();
  const { signal } = (await stoppableClient(context)).policy;
  expect([signal?.aborted, handlers.size]).toEqual([false, 1]);
  for (const handler of handlers) handler('SIGTERM');
  expect([signal?.reason, handlers.size]).toEqual([
    expect.objectContaining({ exitCode: 143, message: 'interrupted' }),
    0,
  ]);
});
