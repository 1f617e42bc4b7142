import type { Core } from '../../lib/api/runtime/core.ts';
import { createOutput, createTransitions } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { createDeployments } from '../../lib/composition/services.ts';
import { retryDeployment as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { retryDeployment } from '../../lib/deployments/retry-deployment.ts';
import { viewDeployment } from '../../lib/deployments/view-deployments.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';
import { queueClient } from '../../lib/platform/aws/clients.ts';

/** `POST /jobs/{id}/deployments/{binding}/retry` */
export const handler = handle(route, createRetry, async ({ params }, _call, context) => {
  const job = await findJob(context.jobs, params.id);
  return { body: viewDeployment(await retryDeployment(context, job, params.binding)) };
});

function createRetry(core: Core) {
  const { output } = createOutput(core);
  return {
    ...createTransitions(core),
    ...createDeployments({ ...core, queues: queueClient() }),
    readReceipt: (jobId: string, attempt: number) => output.readReceipt(jobId, attempt),
  };
}
