import { createRetry } from '../../lib/api/runtime/create-bindings.ts';
import { handle } from '../../lib/api/serve.ts';
import { retryDeployment as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { retryDeployment } from '../../lib/deployments/retry-deployment.ts';
import { viewDeployment } from '../../lib/deployments/view-deployments.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `POST /jobs/{id}/deployments/{binding}/retry` */
export const handler = handle(route, createRetry, async ({ params }, _call, context) => {
  const job = await findJob(context.jobs, params.id);
  return { body: viewDeployment(await retryDeployment(context, job, params.binding)) };
});
