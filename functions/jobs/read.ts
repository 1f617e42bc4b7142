import { readJob as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { jobBody } from '../../lib/http/serve-action.ts';
import { openJobs, openTexts } from '../../lib/http/services.ts';
import { findJob } from '../../lib/jobs/find-job.ts';

/** `GET /jobs/{id}` */
export const handler = serve(
  route,
  (core) => ({ jobs: openJobs(core), texts: openTexts(core) }),
  async ({ params }, { core }, { jobs, texts }) => {
    const job = await findJob(jobs, params.id);
    return { body: await jobBody(job, texts, core.env.PROMPTQ_TIMEOUT_UNIT) };
  },
);
