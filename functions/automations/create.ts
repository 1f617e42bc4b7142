import { createAutomationWriting, ownerOf } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { firstSecret } from '../../lib/automations/change-secret.ts';
import { viewAutomation } from '../../lib/automations/view-automation.ts';
import { createAutomation } from '../../lib/automations/write-automation.ts';
import { BASE_PATH } from '../../lib/contract/route.ts';
import { createAutomation as route } from '../../lib/contract/routes/automations.ts';

/** `POST /automations` */
export const handler = handle(route, createAutomationWriting, async ({ query, body }, { principal }, context) => {
  const { dry_run: dryRun } = query;
  const automation = await createAutomation(context, body, { owner: ownerOf(principal), dryRun });
  const secret = dryRun ? undefined : await firstSecret(context, automation);
  const view = await viewAutomation(context, automation, secret);
  if (dryRun) return { status: 200 as const, body: view };
  return { status: 201 as const, headers: { location: `${BASE_PATH}/automations/${automation.id}` }, body: view };
});
