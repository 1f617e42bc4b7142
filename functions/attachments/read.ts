import { asDownload, redirectOr } from '../../lib/api/redirect.ts';
import { createAttachments } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { readAttachment as route } from '../../lib/contract/routes/attachments.ts';
import { attemptOf, readAttachment } from '../../lib/jobs/output/reading/read-attachment.ts';

/** `GET /jobs/{id}/attachments/{name}` */
export const handler = handleJob(route, createAttachments, async ({ params, query }, _call, { attachments }, found) => {
  const job = await found;
  const attempt = attemptOf(job, query.attempt);
  const { disposition, ...answer } = await readAttachment(attachments, job, { attempt, name: params.name });
  return { headers: asDownload(disposition), ...redirectOr(answer) };
});
