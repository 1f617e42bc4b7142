import { acts } from '../bindings/deploy-binding.ts';
import type { GateContext } from '../jobs/admission/gates.ts';
import { deployEffect, isFinal, type JobDeployment } from '../jobs/deployments/job-deployment.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import type { DeployEffect } from '../jobs/lifecycle/effect.ts';
import { attemptsDue } from '../jobs/lifecycle/effects.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { openCommands } from '../jobs/threads/running-bindings.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { startCommands, whyNotRun } from './deploy-commands.ts';
import { recordCommands } from './record-commands.ts';
import { announce, type DeployContext, deploymentsBy, startDeployments, unmarkIfDone } from './start-deployments.ts';

export type ReconcileDeploymentsContext = DeployContext & GateContext;

/** Milliseconds after which a call that is due has lost its message. */
const OVERDUE = 60_000;
/** Milliseconds between two checks of commands. */
const RECHECK = 900_000;

/**
 * Creates the calls of a success, and sends messages again for those that no one makes.
 * @returns the updated job, and when to check it again if a call is still pending
 */
export async function reconcileCalls(
  context: ReconcileDeploymentsContext,
  found: Job,
  { lost }: { readonly lost: boolean },
): Promise<{ job: Job; checkAt: string }> {
  const now = context.clock.now();
  const { job, open } = await startMissing(context, found, 'calls');
  for (const one of open) if (lost || isOverdue(one, now)) await announce(context, job, one);
  const [first = now] = open.map(({ due_at }) => Date.parse(due_at)).toSorted((a, b) => a - b);
  return { job: await finish(context, job, 'calls'), checkAt: timestamp(Math.max(now, first) + OVERDUE) };
}

/**
 * Creates the deployments of a success that run commands, and their system jobs. Cancels those whose bindings no longer run
 * them: there may be no worker that does it.
 * @returns the updated job, and when to check it again: all that follows is due to the system jobs
 */
export async function reconcileCommands(
  context: ReconcileDeploymentsContext,
  found: Job,
): Promise<{ job: Job; checkAt: string }> {
  const checkAt = timestamp(context.clock.now() + RECHECK);
  const { job, open } = await startMissing(context, found, 'commands');
  const started = await openCommands(context, job);
  for (const one of open) {
    const commands = started.find(
      ({ deployment }) => deployment.binding === one.binding && deployment.attempt === one.attempt,
    )?.job;
    if (commands === undefined) await startCommands(context, job, one);
    const notRun = whyNotRun(context, one, await context.bindings.get(one.binding));
    if (notRun === undefined || typeof commands !== 'object' || commands.status !== 'QUEUED') continue;
    const cancelled = await transition(context, commands, { type: 'cancel' }, { rounds: 1 });
    if (cancelled.done) await recordCommands(context, cancelled.job);
  }
  return { job: await finish(context, job, 'commands'), checkAt };
}

/** The job and its open deployments, once each binding that has seen its success has its record. */
async function startMissing(
  context: ReconcileDeploymentsContext,
  found: Job,
  by: DeployEffect,
): Promise<{ readonly job: Job; readonly open: JobDeployment[] }> {
  const known = await deploymentsBy(context, found, by);
  const isComplete = await hasAllRecords(context, found, known, by);
  const job = isComplete ? found : await startDeployments(context, found, by);
  const all = isComplete ? known : await deploymentsBy(context, job, by);
  return { job, open: all.filter((one) => !isFinal(one)) };
}

async function finish(context: ReconcileDeploymentsContext, job: Job, by: DeployEffect): Promise<Job> {
  let latest = job;
  for (const attempt of attemptsDue(job, by)) latest = await unmarkIfDone(context, latest, attempt, by);
  return latest;
}

function isOverdue({ due_at }: JobDeployment, now: number): boolean {
  return Date.parse(due_at) < now - OVERDUE;
}

async function hasAllRecords(
  { bindings }: ReconcileDeploymentsContext,
  job: Job,
  known: readonly JobDeployment[],
  by: DeployEffect,
): Promise<boolean> {
  const { project_id, finished_at } = job;
  if (finished_at === undefined) return false;
  const acting = (await bindings.list(project_id)).filter(
    (one) => acts(one) && deployEffect(one.binding_mode) === by && one.created_at <= finished_at,
  );
  return attemptsDue(job, by).every((attempt) =>
    acting.every(({ id }) => known.some((one) => one.attempt === attempt && one.binding === id)),
  );
}
