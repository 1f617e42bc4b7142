import { createSubscriptionWriting } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { deleteSubscription as route } from '../../lib/contract/routes/subscriptions.ts';
import { deleteSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `DELETE /subscriptions/{id}` */
export const handler = handle(route, createSubscriptionWriting, async ({ params }, _call, context) => {
  const view = await deleteSubscription(context, params.id);
  await context.announce();
  return { body: view };
});
