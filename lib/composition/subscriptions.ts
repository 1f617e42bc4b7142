import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { BindingSecretStore } from '../bindings/binding-secrets.ts';
import { EventFeed } from '../events/event-feed.ts';
import { FeedReaders } from '../events/feed-readers.ts';
import type { TableClient } from '../platform/aws/clients.ts';
import type { ReadFeedEnv } from '../platform/config/function-env.ts';
import { registryOf } from '../platform/registry.ts';
import { SENDERS } from '../subscriptions/deliver/senders.ts';
import { noticesOf } from '../subscriptions/notice/notice.ts';
import { readFacts } from '../subscriptions/notice/read-facts.ts';
import type { SentEvent } from '../subscriptions/senders/sending.ts';
import { DeliveryStore } from '../subscriptions/store/delivery-store.ts';
import { SentMessageStore } from '../subscriptions/store/sent-messages.ts';
import { SubscriptionStore } from '../subscriptions/store/subscription-store.ts';
import { createJobStore, createOutputStore, createTexts } from './services.ts';

/** Dependencies for reading the feed, and for delivering to subscriptions. */
export function createDelivering(
  from: TableClient & {
    readonly env: Omit<ReadFeedEnv, 'READ_FEED_FUNCTION'>;
    readonly objects: S3Client;
    /** Where the links of messages lead; undefined: they have none. */
    readonly origin: string | undefined;
  },
) {
  const { env, clock, origin } = from;
  const registry = registryOf(from);
  const feed = new EventFeed(registry);
  const readers = new FeedReaders({ ...registry, feed });
  const facts = { jobs: createJobStore(from), texts: createTexts(from), output: createOutputStore(from), origin };
  return {
    ...{ feed, readers, clock },
    subscriptions: new SubscriptionStore({ ...registry, readers }),
    deliveries: new DeliveryStore(registry),
    secrets: new BindingSecretStore(registry),
    random: Math.random,
    senders: SENDERS,
    pause: async (milliseconds: number) => await sleep(milliseconds),
    send: {
      reach: { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK },
      origin,
      apis: { telegram: env.PROMPTQ_TELEGRAM_API, slack: env.PROMPTQ_SLACK_API },
      messages: new SentMessageStore(registry),
      mail: mailPlace(from),
      noticesOf: async (event: SentEvent) => noticesOf(await readFacts(facts, event)),
    },
  };
}

/** SES, with the table's credentials and region; undefined: no address is set. */
function mailPlace({ env, table }: Parameters<typeof createDelivering>[0]) {
  const { PROMPTQ_MAIL_FROM: from, PROMPTQ_SES_API: endpoint } = env;
  if (from === undefined) return undefined;
  const { credentials, region } = table.config;
  return { from, endpoint, credentials, region };
}
