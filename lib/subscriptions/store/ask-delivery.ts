import { randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { type EventFeed, writePlace } from '../../events/event-feed.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import type { Delivery, DeliveryStore } from './delivery-store.ts';
import type { Subscription } from './subscription.ts';

/*
 * Deliveries that a person asks for: a test, or one that is sent again. The request only notes it and calls the function
 * that delivers, which alone can read secrets. It is attempted once.
 */

interface AskContext {
  readonly deliveries: Pick<DeliveryStore, 'get' | 'put'>;
  readonly clock: Clock;
  /** Calls the function that delivers, without waiting for it. */
  readonly call: (id: string) => Promise<void>;
}

/** The kind of these calls, before the id. */
export const DELIVERY_CALL = 'delivery';

/** Has a message sent that says it is a test. */
export async function askForTest(
  context: AskContext & { readonly feed: Pick<EventFeed, 'end'> },
  subscription: Subscription,
): Promise<Delivery> {
  const now = timestamp(context.clock.now());
  const id = `${writePlace(await context.feed.end())}t${randomBytes(4).toString('hex')}`;
  const subject = { kind: 'subscription', id: subscription.id, name: subscription.name };
  const event = { id, type: 'subscription.test', time: now, subject };
  const test: Delivery = { id, kind: 'test', events: [event], state: 'pending', attempts: 0, created_at: now };
  await context.deliveries.put(subscription, test);
  return await ask(context, subscription, test);
}

/** Has a delivery sent again. @throws ApiError `not_found` */
export async function askAgain(context: AskContext, subscription: Subscription, id: string): Promise<Delivery> {
  const known = await context.deliveries.get(subscription, id);
  if (known === undefined) throw ApiError.of('not_found');
  return await ask(context, subscription, known);
}

async function ask({ call }: AskContext, subscription: Subscription, delivery: Delivery): Promise<Delivery> {
  await call(`${DELIVERY_CALL}:${subscription.id}/${delivery.id}`);
  return delivery;
}
