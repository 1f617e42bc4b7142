import { createSubscriptionWriting } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { editSubscription as route } from '../../lib/contract/routes/subscriptions.ts';
import { subscriptionIdOf } from '../../lib/subscriptions/store/subscription-store.ts';
import { editSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `PATCH /subscriptions/{id}` */
export const handler = handle(route, createSubscriptionWriting, async ({ params, body }, _call, context) => {
  if (body.target !== undefined) await context.openAnswers(subscriptionIdOf(params.id), body.target);
  const view = await editSubscription(context, params.id, body);
  await context.announce();
  return { body: view };
});
