import { createAutomationReading } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { listAutomations } from '../../lib/automations/view-automation.ts';
import { listAutomations as route } from '../../lib/contract/routes/automations.ts';

/** `GET /automations` */
export const handler = handle(route, createAutomationReading, async ({ query }, _call, context) => ({
  body: await listAutomations(context, query),
}));
