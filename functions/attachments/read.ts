import { redirectOr } from '../../lib/api/redirect.ts';
import { createAttachments } from '../../lib/api/runtime/create-attachments.ts';
import { handle } from '../../lib/api/serve.ts';
import { readAttachment as route } from '../../lib/contract/routes/attachments.ts';
import { attemptOf, readAttachment } from '../../lib/jobs/output/reading/read-attachment.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `GET /jobs/{id}/attachments/{name}` */
export const handler = handle(route, createAttachments, async ({ params, query }, _call, { jobs, attachments }) => {
  const job = await findJob(jobs, params.id);
  const attempt = attemptOf(job, query.attempt);
  const { disposition, ...answer } = await readAttachment(attachments, job, { attempt, name: params.name });
  const asDownload: Readonly<Record<string, string>> = {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition,
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return { headers: asDownload, ...redirectOr(answer) };
});
