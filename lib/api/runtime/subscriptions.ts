import { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import { EventFeed } from '../../events/event-feed.ts';
import { FeedReaders } from '../../events/feed-readers.ts';
import { createCallLater } from '../../platform/aws/call-later.ts';
import { DeliveryStore } from '../../subscriptions/store/delivery-store.ts';
import { SubscriptionStore } from '../../subscriptions/store/subscription-store.ts';
import type { Core } from './core.ts';

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
  return { ...createSubscriptions(core), secrets: new BindingSecretStore(registry), reach };
}
