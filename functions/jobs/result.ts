import { readResult as route } from '../../lib/contract/routes/output.ts';
import { redirectOr } from '../../lib/http/redirect.ts';
import { serve } from '../../lib/http/serve.ts';
import { openOutput } from '../../lib/http/services.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { readResult } from '../../lib/jobs/read-output.ts';
import { settledChildren } from '../../lib/jobs/settled-children.ts';

/** `GET /jobs/{id}/result` */
export const handler = serve(route, openOutput, async ({ params, query }, _call, output) => {
  const ended = await settledChildren(output, await findJob(output.jobs, params.id));
  const [job = ended] = await output.waiting.told([ended]);
  return redirectOr(await readResult(output, job, query));
});
