import { createAutomationDeleting } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { viewAutomation } from '../../lib/automations/view-automation.ts';
import { deleteAutomation } from '../../lib/automations/write-automation.ts';
import { deleteAutomation as route } from '../../lib/contract/routes/automations.ts';

/** `DELETE /automations/{id}` */
export const handler = handle(route, createAutomationDeleting, async ({ params }, _call, context) => ({
  body: await viewAutomation(context, await deleteAutomation(context, params.id)),
}));
