import { acts } from '../../bindings/deploy-binding.ts';
import type { DeployBindingStore } from '../../bindings/deploy-binding-store.ts';
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
  const bindings =
    receipt.outcome.kind === 'succeeded' && (await context.bindings.list(job.project_id)).some((one) => acts(one));
  return await transition(context, job, { type: 'end', receipt, bindings });
}
