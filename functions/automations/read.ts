import { createAutomationReading } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { viewAutomation } from '../../lib/automations/view-automation.ts';
import { findAutomation } from '../../lib/automations/write-automation.ts';
import { readAutomation as route } from '../../lib/contract/routes/automations.ts';

/** `GET /automations/{id}` */
export const handler = handle(route, createAutomationReading, async ({ params }, _call, context) => ({
  body: await viewAutomation(context, await findAutomation(context, params.id)),
}));
