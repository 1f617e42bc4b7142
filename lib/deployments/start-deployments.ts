import { isFinal, type JobDeployment, runsCommands } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import type { EndContext } from '../jobs/dispatch/end-attempt.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { Receipt } from '../jobs/lifecycle/receipt.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { acts, type DeployBinding } from './bindings/deploy-binding.ts';
import { callPayload } from './calls/call-payload.ts';
import type { DeliveryQueue } from './calls/delivery-queue.ts';

/** What having bindings act on a job needs. */
export interface DeployContext extends EndContext {
  readonly deployments: JobDeploymentStore;
  readonly deliveries: DeliveryQueue;
  readonly readReceipt: (jobId: string, attempt: number) => Promise<Receipt | undefined>;
  /** Whether bindings may run commands. */
  readonly commands: boolean;
  /** Where clients reach the API, if the deployment says so. */
  readonly publicUrl?: string | undefined;
}

/**
 * Writes down, for each attempt on which bindings have to act, what each of them has to do, and sends the messages of
 * the calls; commands are run by the worker. May be done by many at once and as often as one likes.
 * @returns the job as it then is.
 */
export async function startDeployments(context: DeployContext, job: Job): Promise<Job> {
  let latest = job;
  for (const attempt of job.bindings_pending ?? []) {
    const receipt = await context.readReceipt(job.id, attempt);
    const started: JobDeployment[] = [];
    for (const binding of await context.bindings.list(job.project_id)) {
      // What was created later did not see this success.
      if (!acts(binding) || receipt === undefined || binding.created_at > receipt.finished_at) continue;
      const made = await context.deployments.replace(undefined, newDeployment(context, binding, { job, receipt }));
      if (made !== undefined) started.push(made);
    }
    // All of them are there before the first can be done: else it would be taken for the last.
    for (const made of started) if (!isFinal(made)) await announce(context, latest, made);
    latest = await finishDeployments(context, latest, attempt);
  }
  return latest;
}

/** What a binding has to do with an attempt that succeeded. */
export function newDeployment(
  context: Pick<DeployContext, 'clock' | 'commands' | 'publicUrl'>,
  binding: DeployBinding,
  { job, receipt }: { job: Job; receipt: Receipt },
): Omit<JobDeployment, 'version' | 'change_id'> {
  const { binding_mode: mode } = binding;
  if (mode === 'hosted_editor') throw new Error('a hosted editor does nothing by itself');
  const at = timestamp(context.clock.now());
  const isOff = mode !== 'generic' && !context.commands;
  return {
    job_id: job.id,
    attempt: receipt.attempt,
    binding: binding.id,
    name: binding.name,
    mode,
    state: isOff ? 'skipped' : 'pending',
    attempts: 0,
    created_at: at,
    due_at: at,
    ...(isOff && { finished_at: at, error: "This deployment's bindings run no commands." }),
    ...(mode === 'generic' && { payload: callPayload(job, receipt, context.publicUrl) }),
  };
}

/** Tells whoever does it that there is something to do: lost or doubled messages do no harm. */
export async function announce(
  context: Pick<DeployContext, 'deliveries' | 'dispatchQueues'>,
  job: Job,
  deployment: JobDeployment,
  { toWorkers = false }: { toWorkers?: boolean } = {},
): Promise<void> {
  const { job_id, attempt, binding } = deployment;
  if (!runsCommands(deployment)) return await context.deliveries.send({ job: job_id, attempt, binding });
  if (toWorkers) await context.dispatchQueues.send(job, { deploy: true });
}

/** Takes the mark off the job once everything that bindings had to do with an attempt is done. */
export async function finishDeployments(
  context: Pick<DeployContext, 'deployments' | 'jobs' | 'dispatchQueues' | 'clock' | 'random'>,
  job: Job,
  attempt: number,
): Promise<Job> {
  const all = await context.deployments.list(job.id);
  if (!all.filter((one) => one.attempt === attempt).every(isFinal)) return job;
  const result = await transition(context, job, { type: 'deployed', attempt });
  return result.job ?? job;
}
