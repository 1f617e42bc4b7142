import { acts } from '../bindings/deploy-binding.ts';
import { deployEffect, isFinal, type JobDeployment } from '../jobs/deployments/job-deployment.ts';
import type { DeployEffect } from '../jobs/lifecycle/effect.ts';
import { attemptsDue } from '../jobs/lifecycle/effects.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { whenCommandsAct } from '../jobs/threads/commands-turn.ts';
import { type ThreadContext, type TurnWithJob, turnsOf } from '../jobs/threads/read-thread.ts';
import { settleThread } from '../jobs/threads/settle-thread.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { LiveWorkers } from '../workers/live-workers.ts';
import { FOLDER_HAS_CHANGED, holdCommands, skipDeployment } from './commands-in-thread.ts';
import { whyNotRun } from './skipped-commands.ts';
import { announce, type DeployContext, deploymentsBy, startDeployments, unmarkIfDone } from './start-deployments.ts';

export interface ReconcileDeploymentsContext extends DeployContext, Pick<ThreadContext, 'threads'> {
  readonly workers: LiveWorkers;
}

/** Milliseconds after which something due has lost its message, or the worker that was to do it. */
const OVERDUE = 60_000;

/** What one pass over jobs knows. */
export interface DeploymentPass {
  readonly isLive: (workerId: string) => Promise<boolean>;
  /** All messages were lost: also send those that are due later. */
  readonly lost: boolean;
}

export function deploymentPass({ workers }: { readonly workers: LiveWorkers }, lost = false): DeploymentPass {
  return { isLive: liveness(workers), lost };
}

/** Whether a worker lives. One that is not known may have started since the workers were read: they are read again. */
function liveness(workers: LiveWorkers): (workerId: string) => Promise<boolean> {
  let known = new Set<string>();
  return async (workerId) => {
    if (!known.has(workerId)) known = new Set(workers.living(await workers.recent()).map(({ id }) => id));
    return known.has(workerId);
  };
}

/**
 * Creates the calls of a success, and sends messages again for those that no one makes.
 * @returns the updated job, and when to check it again if a call is still pending
 */
export async function reconcileCalls(
  context: ReconcileDeploymentsContext,
  found: Job,
  { lost }: DeploymentPass,
): Promise<{ job: Job; checkAt: string }> {
  const now = context.clock.now();
  const { job, open } = await startMissing(context, found, 'calls');
  for (const one of open) if (lost || isOverdue(one, now)) await announce(context, job, one);
  const [first = now] = open.map(({ due_at }) => Date.parse(due_at)).toSorted((a, b) => a - b);
  return { job: await finish(context, job, 'calls'), checkAt: timestamp(Math.max(now, first) + OVERDUE) };
}

/**
 * Creates the deployments of a success that run commands, and completes them after a crash: fails commands whose worker
 * was lost, which are never retried automatically, and offers those that wait to workers again.
 * @returns the updated job, and when to check it again: a worker that runs commands may die at any time
 */
export async function reconcileCommands(
  context: ReconcileDeploymentsContext,
  found: Job,
  { isLive, lost }: DeploymentPass,
): Promise<{ job: Job; checkAt: string }> {
  const now = context.clock.now();
  const { job, open } = await startMissing(context, found, 'commands');
  const running: JobDeployment[] = [];
  for (const one of open.filter(({ state }) => state === 'running')) {
    const isOver = one.ends_by === undefined || one.ends_by < timestamp(now);
    if (!isOver && (await isLive(one.worker_id ?? ''))) running.push(one);
    else await fail(context, one, now);
  }
  const waiting = open.filter(({ state }) => state === 'pending');
  const commands = running.length > 0 ? [] : await stillRun(context, waiting);
  const turns = running.length > 0 ? [] : await turnsOf(context, job);
  const when = commands.length > 0 ? await whenCommandsAct(context, job, turns) : 'later';
  // A turn may wait for a command that no longer runs: its worker was lost. Nothing checks that once commands are held,
  // so before that, a turn that is about to be recorded as waiting gets a new version.
  const isHeldNow = when === 'later' && commands.length > 0;
  if (job.thread_id !== undefined && (isHeldNow || turns.some((turn) => awaits(turn.job, job))))
    await settleThread(context, job.thread_id);
  if (when === 'never') for (const one of commands) await skipDeployment(context, one, FOLDER_HAS_CHANGED);
  if (isHeldNow) await holdCommands(context, job);
  // One command of a job at a time, and one message for all of them.
  const [next] = when === 'now' ? commands : [];
  if (next !== undefined && (lost || isOverdue(next, now))) await announce(context, job, next, { toWorkers: true });
  return { job: await finish(context, job, 'commands'), checkAt: timestamp(now + OVERDUE) };
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

/** Whether a turn waits for another job of its thread. */
function awaits(turn: TurnWithJob['job'], { id }: Pick<Job, 'id'>): boolean {
  return typeof turn === 'object' && turn.parked === 'waiting_for_thread' && turn.waits_for === id;
}

/** The commands that their bindings still run. The others are skipped: there may be no worker that does it. */
async function stillRun(
  context: ReconcileDeploymentsContext,
  commands: readonly JobDeployment[],
): Promise<JobDeployment[]> {
  const due: JobDeployment[] = [];
  for (const one of commands) {
    const notRun = whyNotRun(context, one, await context.bindings.get(one.binding));
    if (notRun === undefined) due.push(one);
    else await skipDeployment(context, one, notRun);
  }
  return due;
}

async function fail(context: ReconcileDeploymentsContext, deployment: JobDeployment, now: number): Promise<void> {
  await context.deployments.replace(deployment, {
    ...deployment,
    state: 'failed',
    finished_at: timestamp(now),
    error: 'The worker that ran it was lost; how far it came is not known.',
  });
}
