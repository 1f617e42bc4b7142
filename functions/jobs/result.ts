import { redirectOr } from '../../lib/api/redirect.ts';
import { createOutput } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { readResult as route } from '../../lib/contract/routes/output.ts';
import { readResult } from '../../lib/jobs/output/reading/read-output.ts';
import { awaitFollowUps } from '../../lib/reconciler/await-follow-ups.ts';

/** `GET /jobs/{id}/result` */
export const handler = handleJob(route, createOutput, async ({ query }, _call, output, found) => {
  const ended = await awaitFollowUps(output, await found);
  const [job = ended] = await output.waiting.annotate([ended]);
  return redirectOr(await readResult(output, job, query));
});
