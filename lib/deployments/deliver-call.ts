import { createHash } from 'node:crypto';
import type { BindingSecretStore } from '../bindings/binding-secrets.ts';
import { acts, type DeployBinding } from '../bindings/deploy-binding.ts';
import type { Reach } from '../bindings/public-address.ts';
import type { JobDeployment } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import type { EndContext } from '../jobs/dispatch/end-attempt.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { Delivery, DeliveryQueue } from './calls/delivery-queue.ts';
import { type CallResult, makeSignedCall, type Resolve } from './calls/signed-call.ts';
import { reviveCall } from './retry-deployment.ts';
import { finishDeployments } from './start-deployments.ts';

export interface DeliverContext extends EndContext {
  readonly deployments: JobDeploymentStore;
  readonly deliveries: DeliveryQueue;
  readonly secrets: BindingSecretStore;
  readonly reach: Reach;
  /** Seconds from a failed try to the next one. There is one more try than pauses. */
  readonly pauses: readonly number[];
  readonly resolve?: Resolve;
}

/** Seconds in which a call in progress keeps others from making it too; longer than a call may take. */
const UNDER_WAY = 60;
/** How far a pause is extended or shortened, so that calls that failed together don't retry together. */
const JITTER = 0.2;
/** The longest pause (seconds) that a receiver can request. */
const MAX_RETRY_AFTER_SECONDS = 3_600;

/**
 * Makes the call of a message, if the table says that it is still due.
 * @returns seconds after which the message is to return; undefined: acknowledge it.
 */
export async function deliverCall(context: DeliverContext, delivery: Delivery): Promise<number | undefined> {
  const { job: job_id, attempt, binding: bindingId } = delivery;
  let known = await context.deployments.get({ job_id, attempt, binding: bindingId });
  if (known?.state === 'failed' && delivery.given_up === true) known = await reviveCall(context, known);
  if (known?.state !== 'pending' || known.payload === undefined) return undefined;
  const now = context.clock.now();
  const wait = (Date.parse(known.due_at) - now) / 1000;
  if (wait > 0) return wait;
  const binding = await context.bindings.get(bindingId);
  if (binding === undefined || !acts(binding) || binding.binding_mode !== 'generic')
    return await end(context, known, { state: 'skipped', error: whySkipped(binding) });
  const trying = await context.deployments.replace(known, {
    ...known,
    attempts: known.attempts + 1,
    started_at: known.started_at ?? timestamp(now),
    due_at: timestamp(now + UNDER_WAY * 1000),
  });
  if (trying === undefined) return UNDER_WAY;
  return await conclude(context, { delivery, trying, binding, result: await call(context, binding, trying) });
}

async function call(context: DeliverContext, binding: DeployBinding, trying: JobDeployment): Promise<CallResult> {
  const at = timestamp(context.clock.now());
  const current = binding.secrets.filter(({ until }) => until === undefined || until > at);
  const secrets = (await Promise.all(current.map(({ ref }) => context.secrets.get(ref)))).filter(
    (secret) => secret !== undefined,
  );
  if (secrets.length === 0) return { failed: 'It has no secret to be signed with; give one, or have one made.' };
  return await makeSignedCall(
    { url: binding.target_url ?? '', id: callId(trying), payload: trying.payload ?? '', secrets, at: new Date(at) },
    context,
  );
}

async function conclude(
  context: DeliverContext,
  {
    delivery,
    trying,
    binding,
    result,
  }: { delivery: Delivery; trying: JobDeployment; binding: DeployBinding; result: CallResult },
): Promise<number | undefined> {
  const status = 'status' in result ? { last_status: result.status } : {};
  if ('status' in result && result.status >= 200 && result.status < 300)
    return await end(context, trying, { state: 'delivered', error: undefined, ...status });
  const error = 'status' in result ? `Answered with status ${result.status}.` : result.failed;
  if ('status' in result && result.status === 410) {
    await disable(context, binding);
    return await end(context, trying, { state: 'failed', error: `${error} The binding was switched off.`, ...status });
  }
  const pause = context.pauses[trying.attempts - 1];
  if (pause === undefined) {
    await context.deliveries.moveToDeadLetters(delivery);
    return await end(context, trying, { state: 'failed', error, ...status });
  }
  const asked = Math.min(result.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
  const seconds = Math.max(asked, pause * (1 - JITTER + 2 * JITTER * context.random()));
  const due_at = timestamp(context.clock.now() + seconds * 1000);
  await context.deployments.replace(trying, { ...trying, error, ...status, due_at });
  return seconds;
}

async function end(
  context: DeliverContext,
  known: JobDeployment,
  outcome: Pick<JobDeployment, 'state'> & Partial<JobDeployment>,
): Promise<undefined> {
  const job = await context.jobs.get(known.job_id, { consistent: true });
  await context.deployments.replace(known, { ...known, ...outcome, finished_at: timestamp(context.clock.now()) }, job);
  if (job !== undefined) await finishDeployments(context, job, known);
}

/** A receiver that answers 410 wants no more calls (Standard Webhooks). A concurrent write of the binding wins. */
async function disable(context: DeliverContext, binding: DeployBinding): Promise<void> {
  const disabled_reason = 'The receiver answered 410: it wants no more calls.';
  await context.bindings.replace(binding, {
    ...binding,
    disabled_reason,
    updated_at: timestamp(context.clock.now()),
  });
}

function whySkipped(binding: DeployBinding | undefined): string {
  return binding === undefined ? 'The binding was deleted.' : (binding.disabled_reason ?? 'The binding was changed.');
}

/** Identifies the event to its receiver, the same in every call. */
function callId({ job_id, attempt, binding }: JobDeployment): string {
  return `msg_${createHash('sha256').update(`${job_id}\n${attempt}\n${binding}`).digest('hex').slice(0, 32)}`;
}
