import { createAutomationRunning } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { receiveTest } from '../../lib/automations/receive-delivery.ts';
import { sendTestDelivery as route } from '../../lib/contract/routes/hooks.ts';

/** `POST /automations/{id}/deliveries` */
export const handler = handle(route, createAutomationRunning, async ({ params, body }, _call, context) => ({
  body: { id: await receiveTest(context, params.id, body.body) },
}));
