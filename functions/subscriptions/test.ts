import { createSubscriptions } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { testSubscription as route } from '../../lib/contract/routes/subscriptions.ts';
import { askForTest } from '../../lib/subscriptions/store/ask-delivery.ts';
import { viewDelivery } from '../../lib/subscriptions/store/delivery-store.ts';
import { findSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `POST /subscriptions/{id}/test` */
export const handler = handle(route, createSubscriptions, async ({ params }, _call, context) => ({
  body: viewDelivery(await askForTest(context, await findSubscription(context, params.id))),
}));
