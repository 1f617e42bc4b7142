import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { callService } from '../senders/call-service.ts';

/*
 * Telegram's Bot API, as far as subscriptions need it: https://core.telegram.org/bots/api. The bot's token is part of each
 * address, so neither an address nor an error of the transport leaves this file.
 */

const answered = z.object({ ok: z.literal(true), result: z.unknown() });
const refused = z.object({
  ok: z.literal(false),
  description: z.string(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});

/** What became of a call. `refused`: Telegram's words, cut. `failed`: there was no answer that can be read. */
export type TelegramResult =
  | { readonly result: unknown }
  | { readonly refused: string; readonly status: number; readonly retryAfterSeconds: number | undefined }
  | { readonly failed: string };

const MAX_DESCRIPTION = 200;

/** A bot. */
export class TelegramApi {
  readonly #base: string;
  readonly #token: string;

  /** @param base `https://api.telegram.org`, or a stand-in */
  constructor(base: string, token: string) {
    this.#base = base.replace(/\/$/, '');
    this.#token = token;
  }

  /** Calls a method. @param options.ended ends a call that waits. Never rejects. */
  async call(
    method: string,
    body: object,
    options: { readonly seconds?: number; readonly ended?: AbortSignal } = {},
  ): Promise<TelegramResult> {
    const answer = await callService(
      `${this.#base}/bot${this.#token}/${method}`,
      { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      options,
    );
    if ('failed' in answer) return answer;
    const json = parsed(answer.text);
    const success = answered.safeParse(json).data;
    if (success !== undefined) return { result: success.result };
    const failure = refused.safeParse(json).data;
    if (failure === undefined) return { failed: `Telegram answered with status ${answer.status} and no JSON.` };
    return {
      refused: failure.description.replaceAll(this.#token, '***').slice(0, MAX_DESCRIPTION),
      status: answer.status,
      retryAfterSeconds: failure.parameters?.retry_after ?? answer.retryAfterSeconds,
    };
  }
}

/** The id of a bot, which its token begins with. */
export function botIdOf(token: string): string {
  return token.split(':')[0] ?? '';
}

/**
 * What Telegram sends with each update to the address of a subscription, and no other sender knows. It follows from the
 * bot's token, so it is stored nowhere.
 */
export function webhookSecretOf(token: string, subscriptionId: string): string {
  return createHmac('sha256', token)
    .update(JSON.stringify(['promptq webhook', subscriptionId]))
    .digest('base64url');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
