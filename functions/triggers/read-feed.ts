import type { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { EventFeed } from '../../lib/events/event-feed.ts';
import { FeedReaders } from '../../lib/events/feed-readers.ts';
import { type Consumer, readOn } from '../../lib/events/read-on.ts';
import { createCallLater } from '../../lib/platform/aws/call-later.ts';
import { tableClient } from '../../lib/platform/aws/clients.ts';
import { readFeedEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { registryOf } from '../../lib/platform/registry.ts';

let context: ReturnType<typeof open> | undefined;

/** So long before its timeout the function stops, to be called again. Longer than one event may take. */
const SPARE_MS = 60_000;

/**
 * Makes what handles the events of a reader, by its kind: the part of its id before the colon. It gets the rest.
 * @returns undefined: what it reads for is gone, and so is the reader
 */
const CONSUMERS: Readonly<
  Record<string, (opened: ReturnType<typeof open>, id: string) => Promise<Consumer | undefined>>
> = {};

/** Runs the reader of the feed of events that it is called for. */
export const handler = handleTrigger('read-feed', readFeed);

async function readFeed(
  { id }: { readonly id: string },
  log: Logger,
  call?: Partial<Pick<Context, 'getRemainingTimeInMillis'>>,
): Promise<void> {
  context ??= open();
  const opened = context;
  const isTimeUp = () => (call?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) < SPARE_MS;
  log.appendKeys({ reader: id });
  const [kind = '', ...rest] = id.split(':');
  const openConsumer = CONSUMERS[kind];
  // A later version may know further kinds.
  if (openConsumer === undefined) return log.warn('this version does not know the reader');
  const reading = await readOn(opened, id, async () => await openConsumer(opened, rest.join(':')), isTimeUp);
  log.info('read the feed', { reading });
  if (reading === 'again') await opened.wake(id);
}

function open() {
  const env = readEnv(readFeedEnv);
  const { table, clock } = tableClient();
  const registry = registryOf({ table, clock, env });
  const feed = new EventFeed(registry);
  return {
    ...{ env, clock, feed, readers: new FeedReaders({ ...registry, feed }) },
    wake: createCallLater('read-feed', env.READ_FEED_FUNCTION),
  };
}
