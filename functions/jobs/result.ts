import { redirectOr } from '../../lib/api/redirect.ts';
import { createOutput } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readResult as route } from '../../lib/contract/routes/output.ts';
import { readResult } from '../../lib/jobs/output/reading/read-output.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';
import { awaitFollowUps } from '../../lib/reconciler/await-follow-ups.ts';

/** `GET /jobs/{id}/result` */
export const handler = handle(route, createOutput, async ({ params, query }, _call, output) => {
  const ended = await awaitFollowUps(output, await findJob(output.jobs, params.id));
  const [job = ended] = await output.waiting.annotate([ended]);
  return redirectOr(await readResult(output, job, query));
});
