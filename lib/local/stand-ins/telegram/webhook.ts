import { setTimeout as delay } from 'node:timers/promises';
import type { Chats, UpdateKind } from './chats.ts';

/** Where updates are posted to. */
interface WebhookTarget {
  readonly url: string;
  readonly secret: string | undefined;
  readonly kinds: readonly UpdateKind[] | undefined;
}

/** Milliseconds between two tries of one update. Telegram's are longer, and not documented. */
const RETRY_MS = 500;
const LIMIT_MS = 30_000;

/** Posts updates to the bot's webhook, one after the other, each until the bot answers with 2xx. */
export class Webhook {
  readonly #chats: Chats;
  #target: WebhookTarget | undefined;
  #running: AbortController | undefined;
  #lastError: { readonly date: number; readonly message: string } | undefined;

  constructor(chats: Chats) {
    this.#chats = chats;
  }

  /** Replaces the webhook; undefined: there is none. */
  set(target: WebhookTarget | undefined): void {
    this.#running?.abort();
    this.#target = target;
    this.#lastError = undefined;
    if (target === undefined) return;
    const running = new AbortController();
    this.#running = running;
    void this.#deliver(target, running.signal);
  }

  /** The result of `getWebhookInfo`. */
  info() {
    const { url, kinds } = this.#target ?? { url: '', kinds: undefined };
    return {
      url,
      has_custom_certificate: false,
      pending_update_count: this.#chats.pending(undefined).length,
      ...(kinds && { allowed_updates: kinds }),
      ...(this.#lastError && { last_error_date: this.#lastError.date, last_error_message: this.#lastError.message }),
    };
  }

  async #deliver({ url, secret, kinds }: WebhookTarget, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const changed = this.#chats.changed;
      const [update] = this.#chats.pending(kinds);
      if (update === undefined) {
        await Promise.race([changed, aborted(signal)]);
        continue;
      }
      const fault = await post(url, secret, update, signal);
      if (signal.aborted) return;
      if (fault === undefined) {
        this.#chats.confirm(update.update_id + 1);
        continue;
      }
      this.#lastError = { date: Math.floor(Date.now() / 1000), message: fault };
      await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** @returns why it was not taken */
async function post(url: string, secret: string | undefined, update: object, signal: AbortSignal) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }),
      },
      body: JSON.stringify(update),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    });
    await response.arrayBuffer();
    return response.ok ? undefined : `Wrong response from the webhook: ${response.status} ${response.statusText}`;
  } catch (error) {
    return error instanceof Error ? `Connection failed: ${error.message}` : 'Connection failed';
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
