import { createSubscriptionWriting } from '../../lib/api/runtime/subscriptions.ts';
import { handle } from '../../lib/api/serve.ts';
import { editSubscription as route } from '../../lib/contract/routes/subscriptions.ts';
import { editSubscription } from '../../lib/subscriptions/store/write-subscription.ts';

/** `PATCH /subscriptions/{id}` */
export const handler = handle(route, createSubscriptionWriting, async ({ params, body }, _call, context) => ({
  body: await editSubscription(context, params.id, body),
}));
