import { Readable } from 'node:stream';
import { createAttachments } from '../../lib/api/runtime/create-attachments.ts';
import { handle } from '../../lib/api/serve.ts';
import { listAttachments as route } from '../../lib/contract/routes/attachments.ts';
import { attachmentList } from '../../lib/contract/schemas/jobs/attachments.ts';
import { viewAttachments } from '../../lib/jobs/output/attachments/attachment-view.ts';
import { attemptOf } from '../../lib/jobs/output/reading/read-attachment.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `GET /jobs/{id}/attachments` */
export const handler = handle(route, createAttachments, async ({ params, query }, _call, { jobs, attachments }) => {
  const job = await findJob(jobs, params.id);
  const attempt = attemptOf(job, query.attempt);
  const items = viewAttachments(attempt, await attachments.list(job.id, attempt));
  // Streamed because ten thousand long paths can pass what Lambda buffers.
  return { body: Readable.from([JSON.stringify(attachmentList.parse({ id: job.id, attempt, items }))]) };
});
