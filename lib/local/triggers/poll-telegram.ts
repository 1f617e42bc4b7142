import { setTimeout as delay } from 'node:timers/promises';
import { getCore } from '../../api/runtime/core.ts';
import { createAnswering } from '../../api/runtime/subscriptions.ts';
import { onCallLater } from '../../platform/aws/call-later.ts';
import { pollBot } from '../../subscriptions/telegram/poll-bot.ts';
import { receiveUpdate } from '../../subscriptions/telegram/receive-update.ts';
import { telegramBots } from '../../subscriptions/telegram/telegram-bots.ts';
import type { Shutdown } from '../run/shutdown.ts';

/*
 * The local run has no address that Telegram can reach, so it asks for the updates of each bot that a subscription has.
 * Which these are is read when a subscription was written, and regularly, for writes that failed halfway. Without such a
 * subscription nothing is asked.
 */

interface PollingOptions {
  /** Milliseconds between two regular reads. */
  readonly everyMs: number;
  readonly shutdown: Shutdown;
  readonly log: (line: string) => void;
}

/** Starts the polling of all bots, which begins and ends with their subscriptions. */
export function startTelegramPolling({ everyMs, shutdown, log }: PollingOptions): void {
  const context = createAnswering(getCore());
  const stopped = new AbortController();
  const polls = new Map<string, { readonly end: AbortController; readonly done: Promise<void> }>();
  let changed = Promise.withResolvers<void>();
  const stopListening = onCallLater('poll-telegram', () => changed.resolve());

  const begin = (token: string) => {
    const end = new AbortController();
    const receive = async (update: unknown) =>
      await receiveUpdate(context, token, (await telegramBots(context)).get(token) ?? [], update);
    const done = pollBot({ api: context.api, token, receive, ended: end.signal, log });
    polls.set(token, { end, done });
  };
  const follow = async () => {
    const bots = await telegramBots(context);
    for (const [token, { end }] of polls)
      if (!bots.has(token)) {
        end.abort();
        polls.delete(token);
      }
    for (const token of bots.keys()) if (!polls.has(token) && !stopped.signal.aborted) begin(token);
  };
  const following = (async () => {
    while (!stopped.signal.aborted) {
      changed = Promise.withResolvers();
      await follow().catch((error: unknown) => log(`the bots of Telegram can't be read: ${String(error)}`));
      await Promise.race([
        changed.promise,
        delay(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined),
      ]);
    }
  })();
  shutdown.add('service', async () => {
    stopped.abort();
    stopListening();
    await following;
    const ended = [...polls.values()].map(async ({ end, done }) => {
      end.abort();
      await done;
    });
    await Promise.all(ended);
  });
}
