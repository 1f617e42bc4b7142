import { readLogs as route } from '../../lib/contract/routes/output.ts';
import { redirectOr } from '../../lib/http/redirect.ts';
import { serve } from '../../lib/http/serve.ts';
import { openOutput } from '../../lib/http/services.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { readLogs } from '../../lib/jobs/read-output.ts';

/** `GET /jobs/{id}/logs` */
export const handler = serve(route, openOutput, async ({ params, query }, _call, output) => {
  const { stream = 'all', full, offset, attempt } = query;
  const job = await findJob(output.jobs, params.id);
  return redirectOr(await readLogs(output, job, { stream, full, offset, attempt }));
});
