import { createRemoval } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { removeJob as route } from '../../lib/contract/routes/jobs.ts';
import { removeOnRequest } from '../../lib/reconciler/remove-on-request.ts';

/** `DELETE /jobs/{id}/data` */
export const handler = handle(route, createRemoval, async ({ params }, { noteJob }, context) => {
  noteJob(params.id);
  await removeOnRequest(context, params.id);
  return { body: { id: params.id } };
});
