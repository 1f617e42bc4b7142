import { createAutomationEditing, ownerOf } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { viewAutomation } from '../../lib/automations/view-automation.ts';
import { editAutomation } from '../../lib/automations/write-automation.ts';
import { editAutomation as route } from '../../lib/contract/routes/automations.ts';

/** `PATCH /automations/{id}` */
export const handler = handle(
  route,
  createAutomationEditing,
  async ({ params, query, body }, { principal }, context) => {
    const write = { owner: ownerOf(principal), dryRun: query.dry_run };
    return { body: await viewAutomation(context, await editAutomation(context, params.id, body, write)) };
  },
);
