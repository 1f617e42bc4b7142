import { createOutputDeletion } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { deleteOutput as route } from '../../lib/contract/routes/jobs.ts';
import { deleteOnRequest } from '../../lib/reconciler/delete-output.ts';

/** `POST /jobs/{id}/delete-output` */
export const handler = handle(route, createOutputDeletion, async ({ params }, { noteJob, principal }, context) => {
  noteJob(params.id);
  const { job, copies } = await deleteOnRequest(context, params.id, principal.name);
  const { at = job.updated_at, by = principal.name } = job.output_deleted ?? {};
  return { body: { id: job.id, output_deleted_at: at, output_deleted_by: by, copies: [...copies] } };
});
