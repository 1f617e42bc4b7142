import { createSubscriptions } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { readSubscription as route } from '../../lib/contract/routes/subscriptions.ts';
import { viewSubscription } from '../../lib/subscriptions/store/subscription.ts';
import { findSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `GET /subscriptions/{id}` */
export const handler = handle(route, createSubscriptions, async ({ params }, _call, context) => {
  const found = await findSubscription(context, params.id);
  return { body: viewSubscription(found, await context.subscriptions.health(found)) };
});
