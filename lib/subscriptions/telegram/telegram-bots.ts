import type { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import { ApiError, InvalidFieldError } from '../../contract/errors.ts';
import type { TargetWrite } from '../../contract/schemas/subscription-target.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import type { Subscription } from '../store/subscription.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import { ALLOWED_UPDATES } from './poll-bot.ts';
import type { TelegramSubscription } from './receive-update.ts';
import { TelegramApi, webhookSecretOf } from './telegram-api.ts';

/** The bots of the subscriptions, and how Telegram learns where to send their updates. */

export interface BotsContext {
  readonly subscriptions: Pick<SubscriptionStore, 'get' | 'list'>;
  readonly secrets: Pick<BindingSecretStore, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Tells a subscription from every other one, also from an earlier one of its name. */
export function placeIdOf({ id, made }: Pick<Subscription, 'id' | 'made'>): string {
  return `${id}#${made}`;
}

/** The subscription as its updates need it; undefined: it is not of Telegram, or is disabled. */
export async function telegramSubscription(
  { secrets, clock }: Pick<BotsContext, 'secrets' | 'clock'>,
  subscription: Subscription,
): Promise<TelegramSubscription | undefined> {
  const { target, enabled, answers_from: answersFrom } = subscription;
  if (target.kind !== 'telegram' || !enabled) return undefined;
  const now = timestamp(clock.now());
  const refs = (subscription.secrets.bot_token ?? []).filter(({ until }) => until === undefined || until > now);
  const tokens = (await Promise.all(refs.map(async ({ ref }) => await secrets.get(ref)))).filter(
    (token) => token !== undefined,
  );
  return {
    id: subscription.id,
    place: placeIdOf(subscription),
    chat: String(target.settings.chat_id),
    tokens,
    answersFrom,
  };
}

/** All subscriptions whose bot has updates, by the bot's token. */
export async function telegramBots(context: BotsContext): Promise<ReadonlyMap<string, TelegramSubscription[]>> {
  const all = await context.subscriptions.list();
  const found = await Promise.all(all.map(async (one) => await telegramSubscription(context, one)));
  const bots = new Map<string, TelegramSubscription[]>();
  for (const subscription of found.filter((one) => one !== undefined)) {
    const [token] = subscription.tokens;
    if (token !== undefined) bots.set(token, [...(bots.get(token) ?? []), subscription]);
  }
  return bots;
}

/**
 * Has Telegram send the updates of a bot to the address of a subscription. Of several subscriptions of one bot, that is
 * the one that was written last.
 * @param origin of the service, as Telegram reaches it
 * @throws InvalidFieldError if Telegram refuses the bot or the address; ApiError `unavailable` without its answer
 */
export async function setTelegramWebhook(
  { api, origin }: { readonly api: string; readonly origin: string | undefined },
  subscriptionId: string,
  { telegram }: TargetWrite,
): Promise<void> {
  // A bot whose token stays has the webhook already.
  if (telegram?.bot_token === undefined) return;
  if (origin === undefined)
    throw InvalidFieldError.of(
      'target.telegram',
      'received a bot; this deployment has no address that Telegram reaches',
    );
  const bot = new TelegramApi(api, telegram.bot_token);
  const done = await bot.call('setWebhook', {
    url: new URL(`/api/v1/subscriptions/${encodeURIComponent(subscriptionId)}/telegram`, origin).href,
    secret_token: webhookSecretOf(telegram.bot_token, subscriptionId),
    allowed_updates: ALLOWED_UPDATES,
  });
  if ('failed' in done || ('refused' in done && done.status >= 500)) throw ApiError.of('unavailable');
  if ('refused' in done)
    throw InvalidFieldError.of('target.telegram.bot_token', `Telegram answered ${done.status}: ${done.refused}`);
}
