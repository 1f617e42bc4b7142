import { createAutomationReading } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { listDeliveries } from '../../lib/automations/view-deliveries.ts';
import { listDeliveries as route } from '../../lib/contract/routes/hooks.ts';

/** `GET /automations/{id}/deliveries` */
export const handler = handle(route, createAutomationReading, async ({ params }, _call, context) => ({
  body: await listDeliveries(context, params.id),
}));
