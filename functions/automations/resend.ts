import { createAutomationRunning } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { receiveAgain } from '../../lib/automations/receive-delivery.ts';
import { resendDelivery as route } from '../../lib/contract/routes/hooks.ts';

/** `POST /automations/{id}/deliveries/{delivery}/resend` */
export const handler = handle(route, createAutomationRunning, async ({ params }, _call, context) => ({
  body: { id: await receiveAgain(context, params.id, params.delivery) },
}));
