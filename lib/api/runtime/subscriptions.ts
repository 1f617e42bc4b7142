import { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import type { TargetWrite } from '../../contract/schemas/subscription-target.ts';
import { EventFeed } from '../../events/event-feed.ts';
import { FeedReaders } from '../../events/feed-readers.ts';
import { createCallLater } from '../../platform/aws/call-later.ts';
import { DeliveryStore } from '../../subscriptions/store/delivery-store.ts';
import { SentMessageStore } from '../../subscriptions/store/sent-messages.ts';
import { SubscriptionStore } from '../../subscriptions/store/subscription-store.ts';
import { setTelegramWebhook } from '../../subscriptions/telegram/telegram-bots.ts';
import type { Core } from './core.ts';
import { createTransitions } from './services.ts';

/** The services that read subscriptions, and have deliveries made. */
export function createSubscriptions({ registry, env, clock }: Core) {
  const feed = new EventFeed(registry);
  return {
    subscriptions: new SubscriptionStore({ ...registry, readers: new FeedReaders({ ...registry, feed }) }),
    deliveries: new DeliveryStore(registry),
    ...{ feed, clock },
    call: createCallLater('read-feed', env.READ_FEED_FUNCTION),
  };
}

/** The services that change subscriptions. */
export function createSubscriptionWriting(core: Core) {
  const { registry, env } = core;
  const reach = { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK };
  const polls = env.PROMPTQ_TELEGRAM_UPDATES === 'polling';
  return {
    ...createSubscriptions(core),
    ...{ secrets: new BindingSecretStore(registry), reach },
    /** Has the target's answers sent here, before the subscription is written. @throws ApiError, InvalidFieldError */
    openAnswers: async (id: string, target: TargetWrite) => {
      if (target.telegram === undefined || polls) return;
      const origin = env.PROMPTQ_LINK_ORIGIN ?? (await core.serviceEndpoints.publicOrigin());
      await setTelegramWebhook({ api: env.PROMPTQ_TELEGRAM_API, origin }, id, target);
    },
    /** Makes a process that polls read the subscriptions again. */
    announce: async () => await createCallLater('poll-telegram', undefined)('subscriptions'),
  };
}

/** The services that take answers of people from messengers. */
export function createAnswering(core: Core) {
  const { registry, env, audit } = core;
  return {
    ...createTransitions(core),
    ...{ audit, api: env.PROMPTQ_TELEGRAM_API, slackApi: env.PROMPTQ_SLACK_API },
    subscriptions: createSubscriptions(core).subscriptions,
    messages: new SentMessageStore(registry),
    secrets: new BindingSecretStore(registry),
  };
}
