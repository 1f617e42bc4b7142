import { createAutomationEditing, ownerOf } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { firstSecret } from '../../lib/automations/change-secret.ts';
import { viewAutomation } from '../../lib/automations/view-automation.ts';
import { editAutomation } from '../../lib/automations/write-automation.ts';
import { editAutomation as route } from '../../lib/contract/routes/automations.ts';

/** `PATCH /automations/{id}` */
export const handler = handle(
  route,
  createAutomationEditing,
  async ({ params, query, body }, { principal }, context) => {
    const write = { owner: ownerOf(principal), dryRun: query.dry_run };
    const automation = await editAutomation(context, params.id, body, write);
    const secret = write.dryRun ? undefined : await firstSecret(context, automation);
    return { body: await viewAutomation(context, automation, secret) };
  },
);
