import { Readable } from 'node:stream';
import { createAttachments } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { listAttachments as route } from '../../lib/contract/routes/attachments.ts';
import { attachmentList } from '../../lib/contract/schemas/jobs/attachments.ts';
import { viewAttachments } from '../../lib/jobs/output/attachments/attachment-view.ts';
import { attemptOf } from '../../lib/jobs/output/reading/read-attachment.ts';

/** `GET /jobs/{id}/attachments` */
export const handler = handleJob(route, createAttachments, async ({ query }, _call, { attachments }, found) => {
  const job = await found;
  const attempt = attemptOf(job, query.attempt);
  const items = viewAttachments(attempt, await attachments.list(job.id, attempt));
  // Streamed because ten thousand long paths can pass what Lambda buffers.
  return { body: Readable.from([JSON.stringify(attachmentList.parse({ id: job.id, attempt, items }))]) };
});
