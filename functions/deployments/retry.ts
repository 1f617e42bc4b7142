import { retryDeployment } from '../../lib/bindings/retry-deployment.ts';
import { viewDeployment } from '../../lib/bindings/view-deployments.ts';
import { retryDeployment as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { openRetry } from '../../lib/http/open-bindings.ts';
import { serve } from '../../lib/http/serve.ts';
import { findJob } from '../../lib/jobs/find-job.ts';

/** `POST /jobs/{id}/deployments/{binding}/retry` */
export const handler = serve(route, openRetry, async ({ params }, _call, context) => {
  const job = await findJob(context.jobs, params.id);
  return { body: viewDeployment(await retryDeployment(context, job, params.binding)) };
});
