import { createAutomationRunning } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { runNow } from '../../lib/automations/run-now.ts';
import { BASE_PATH } from '../../lib/contract/route.ts';
import { runAutomation as route } from '../../lib/contract/routes/automations.ts';

/** `POST /automations/{id}/run` */
export const handler = handle(route, createAutomationRunning, async ({ params }, { noteJob }, context) => {
  const id = await runNow(context, params.id);
  noteJob(id);
  return { headers: { location: `${BASE_PATH}/jobs/${id}` }, body: { id } };
});
