import { createSubscriptions } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { listSentDeliveries as route } from '../../lib/contract/routes/subscriptions.ts';
import { viewDelivery } from '../../lib/subscriptions/store/delivery-store.ts';
import { findSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `GET /subscriptions/{id}/deliveries` */
export const handler = handle(route, createSubscriptions, async ({ params }, _call, context) => {
  const found = await findSubscription(context, params.id);
  return { body: { items: (await context.deliveries.list(found)).map(viewDelivery) } };
});
