import { createSubscriptionWriting } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { BASE_PATH } from '../../lib/contract/route.ts';
import { createSubscription as route } from '../../lib/contract/routes/subscriptions.ts';
import { subscriptionIdOf } from '../../lib/subscriptions/store/subscription-store.ts';
import { createSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `POST /subscriptions` */
export const handler = handle(route, createSubscriptionWriting, async ({ body }, { principal }, context) => {
  await context.openAnswers(subscriptionIdOf(body.name), body.target);
  const view = await createSubscription(context, body, principal.name);
  await context.announce();
  return { headers: { location: `${BASE_PATH}/subscriptions/${view.id}` }, body: view };
});
