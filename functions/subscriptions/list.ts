import { createSubscriptions } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { listSubscriptions as route } from '../../lib/contract/routes/subscriptions.ts';
import { viewSubscription } from '../../lib/subscriptions/store/subscription.ts';

/** `GET /subscriptions` */
export const handler = handle(route, createSubscriptions, async (_input, _call, { subscriptions }) => {
  const [all, health] = await Promise.all([subscriptions.list(), subscriptions.allHealth()]);
  return { body: { items: all.map((one) => viewSubscription(one, health.of(one))) } };
});
