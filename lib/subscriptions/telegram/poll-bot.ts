import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { botIdOf, TelegramApi } from './telegram-api.ts';

/*
 * Long polling: where no request can come in, the service asks Telegram for updates, and Telegram answers once there are
 * some. The next request confirms them, so an update that was not handled comes again, also after a restart.
 */

interface PollOptions {
  /** The base address of the Bot API. */
  readonly api: string;
  readonly token: string;
  /** Handles an update. @throws any error: it is tried again */
  readonly receive: (update: unknown) => Promise<void>;
  /** Ends the poll, also while it waits. */
  readonly ended: AbortSignal;
  readonly log: (line: string) => void;
}

/** Seconds that Telegram waits for an update, and that a call may take. */
const WAIT_SECONDS = 25;
const CALL_SECONDS = WAIT_SECONDS + 10;
/** Seconds after a failure; doubled with each one in a row. */
const PAUSE_SECONDS = { first: 1, longest: 60 } as const;

/** What counts of updates: `receive-update.ts`. */
export const ALLOWED_UPDATES = ['message', 'callback_query'] as const;

const updates = z.array(z.looseObject({ update_id: z.int() }));

/** Polls until `ended`, or until Telegram says that the token is not valid. */
export async function pollBot({ api, token, receive, ended, log }: PollOptions): Promise<void> {
  const bot = new TelegramApi(api, token);
  const name = `the Telegram bot ${botIdOf(token)}`;
  let offset: number | undefined;
  let failures = 0;
  const pause = async (why: string, seconds?: number) => {
    failures += 1;
    const grown = Math.min(PAUSE_SECONDS.first * 2 ** (failures - 1), PAUSE_SECONDS.longest);
    if (failures === 1) log(`updates of ${name} can't be read, and are tried again: ${why}`);
    await delay((seconds ?? grown) * 1000, undefined, { signal: ended, ref: false }).catch(() => undefined);
  };
  while (!ended.aborted) {
    const body = { timeout: WAIT_SECONDS, allowed_updates: ALLOWED_UPDATES, ...(offset !== undefined && { offset }) };
    const answer = await bot.call('getUpdates', body, { seconds: CALL_SECONDS, ended });
    if (ended.aborted) return;
    if ('refused' in answer && (answer.status === 401 || answer.status === 404))
      return log(`updates of ${name} are not read: its token is not valid`);
    if ('refused' in answer && /webhook is active/.test(answer.refused)) {
      // This run has no address that Telegram can reach.
      await bot.call('deleteWebhook', {});
      await pause('another deployment has set its webhook; it is removed');
      continue;
    }
    const found = 'result' in answer ? updates.safeParse(answer.result).data : undefined;
    if (found === undefined) {
      const why = 'failed' in answer ? answer.failed : 'refused' in answer ? answer.refused : 'the answer is no list';
      await pause(why, 'refused' in answer ? answer.retryAfterSeconds : undefined);
      continue;
    }
    try {
      for (const update of found) {
        await receive(update);
        offset = update.update_id + 1;
      }
      failures = 0;
    } catch (error) {
      await pause(error instanceof Error ? error.message : String(error));
    }
  }
}
