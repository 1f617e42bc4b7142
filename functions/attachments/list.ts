import { Readable } from 'node:stream';
import { listAttachments as route } from '../../lib/contract/routes/attachments.ts';
import { attachmentList } from '../../lib/contract/schemas/attachments.ts';
import { openAttachments } from '../../lib/http/open-attachments.ts';
import { serve } from '../../lib/http/serve.ts';
import { viewAttachments } from '../../lib/jobs/attachment-view.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { attemptOf } from '../../lib/jobs/read-attachment.ts';

/** `GET /jobs/{id}/attachments` */
export const handler = serve(route, openAttachments, async ({ params, query }, _call, { jobs, attachments }) => {
  const job = await findJob(jobs, params.id);
  const attempt = attemptOf(job, query.attempt);
  const items = viewAttachments(attempt, await attachments.list(job.id, attempt));
  // Streamed because ten thousand long paths can pass what Lambda buffers.
  return { body: Readable.from([JSON.stringify(attachmentList.parse({ id: job.id, attempt, items }))]) };
});
