import { createAutomationReading } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { listRuns } from '../../lib/automations/view-automation.ts';
import { findAutomation } from '../../lib/automations/write-automation.ts';
import { listRuns as route } from '../../lib/contract/routes/automations.ts';

/** `GET /automations/{id}/runs` */
export const handler = handle(route, createAutomationReading, async ({ params, query }, _call, context) => ({
  body: await listRuns(context, await findAutomation(context, params.id), query),
}));
