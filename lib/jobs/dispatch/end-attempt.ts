import { acts } from '../../bindings/deploy-binding.ts';
import type { DeployBindingStore } from '../../bindings/deploy-binding-store.ts';
import { deployEffect } from '../deployments/job-deployment.ts';
import type { Job } from '../lifecycle/job.ts';
import type { Receipt } from '../receipts/receipt.ts';
import { type Transition, type TransitionContext, transition } from './transition.ts';

export interface EndContext extends TransitionContext {
  readonly bindings: DeployBindingStore;
}

/**
 * Applies an attempt's outcome to its job. One update records the success and the pending deployments: a crash can't
 * lose them.
 */
export async function endAttempt(context: EndContext, job: Job, receipt: Receipt): Promise<Transition> {
  const all = receipt.outcome.kind === 'succeeded' ? await context.bindings.list(job.project_id) : [];
  const deploys = all.filter((one) => acts(one)).map(({ binding_mode }) => deployEffect(binding_mode));
  return await transition(context, job, { type: 'end', receipt, deploys });
}
