import { createSubscriptions } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { resendSentDelivery as route } from '../../lib/contract/routes/subscriptions.ts';
import { askAgain } from '../../lib/subscriptions/store/ask-delivery.ts';
import { viewDelivery } from '../../lib/subscriptions/store/delivery-store.ts';
import { findSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `POST /subscriptions/{id}/deliveries/{delivery}/resend` */
export const handler = handle(route, createSubscriptions, async ({ params }, _call, context) => ({
  body: viewDelivery(await askAgain(context, await findSubscription(context, params.id), params.delivery)),
}));
