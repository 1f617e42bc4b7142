import type { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { ServiceEndpoints } from '../../lib/access/service-endpoints.ts';
import { AUTOMATION_READER } from '../../lib/automations/events/event-trigger.ts';
import { openAutomation } from '../../lib/automations/feed/start-by-event.ts';
import { createStarting } from '../../lib/composition/automations.ts';
import { createDelivering } from '../../lib/composition/subscriptions.ts';
import { type Consumer, readOn } from '../../lib/events/read-on.ts';
import { createCallLater } from '../../lib/platform/aws/call-later.ts';
import { objectClient, queueClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { type ReadFeedEnv, readFeedEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { deliverAsked } from '../../lib/subscriptions/deliver/deliver-asked.ts';
import { openSubscription } from '../../lib/subscriptions/deliver/deliver-events.ts';
import { DELIVERY_CALL } from '../../lib/subscriptions/store/ask-delivery.ts';
import { READER_KIND } from '../../lib/subscriptions/store/subscription-store.ts';

type Opened = ReturnType<typeof open>;
let context: { readonly opened: Opened; readonly origin: string | undefined } | undefined;
let endpoints: ServiceEndpoints | undefined;

/** So long before its timeout the function stops, to be called again. Longer than one event may take. */
const SPARE_MS = 60_000;

/**
 * Makes what handles the events of a reader, by its kind: the part of its id before the colon. It gets the rest.
 * @returns undefined: what it reads for is gone, and so is the reader
 */
const CONSUMERS: Readonly<Record<string, (opened: Opened, id: string) => Promise<Consumer | undefined>>> = {
  [READER_KIND]: openSubscription,
  [AUTOMATION_READER]: async ({ starting }, id) => await openAutomation(starting, id),
};

/** Runs the reader of the feed of events that it is called for, or makes one delivery that was asked for. */
export const handler = handleTrigger('read-feed', readFeed);

async function readFeed(
  { id }: { readonly id: string },
  log: Logger,
  call?: Partial<Pick<Context, 'getRemainingTimeInMillis'>>,
): Promise<void> {
  const opened = await openWithLinks();
  const isTimeUp = () => (call?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) < SPARE_MS;
  log.appendKeys({ reader: id });
  const [kind = '', ...rest] = id.split(':');
  if (kind === DELIVERY_CALL) return await deliverAsked(opened, rest.join(':'));
  const openConsumer = CONSUMERS[kind];
  // A later version may know further kinds.
  if (openConsumer === undefined) return log.warn('this version does not know the reader');
  const reading = await readOn(opened, id, async () => await openConsumer(opened, rest.join(':')), isTimeUp);
  log.info('read the feed', { reading });
  if (reading === 'again') await opened.wake(id);
}

/** The address of the service is written when its last stack is deployed, so it may be known later than this process. */
async function openWithLinks(): Promise<Opened> {
  const env = readEnv(readFeedEnv);
  endpoints ??= new ServiceEndpoints(env);
  const origin = env.PROMPTQ_LINK_ORIGIN ?? (await endpoints.publicOrigin());
  if (context === undefined || context.origin !== origin) context = { opened: open(env, origin), origin };
  return context.opened;
}

function open(env: ReadFeedEnv, origin: string | undefined) {
  const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
  const wake = createCallLater('read-feed', env.READ_FEED_FUNCTION);
  const clients = { env, origin, objects, ...tableClient() };
  return { ...createDelivering(clients), starting: createStarting({ ...clients, queues: queueClient() }), wake };
}
