import { acts } from '../bindings/deploy-binding.ts';
import { isFinal, type JobDeployment, runsCommands } from '../jobs/deployments/job-deployment.ts';
import { attemptsDue } from '../jobs/lifecycle/effects.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { whenCommandsAct } from '../jobs/threads/commands-turn.ts';
import { type ThreadContext, type TurnWithJob, turnsOf } from '../jobs/threads/read-thread.ts';
import { settleThread } from '../jobs/threads/settle-thread.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { LiveWorkers } from '../workers/live-workers.ts';
import { FOLDER_HAS_CHANGED, holdCommands, skipDeployment } from './commands-in-thread.ts';
import { whyNotRun } from './skipped-commands.ts';
import { announce, type DeployContext, startDeployments, unmarkIfDone } from './start-deployments.ts';

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
 * Creates the deployments of a success, and completes them after a crash: writes missing records, sends messages again
 * for deployments that no one works on, and fails commands whose worker was lost, which are never retried automatically.
 * @returns the updated job, and when to check it again if something is still pending
 */
export async function reconcileDeployments(
  context: ReconcileDeploymentsContext,
  found: Job,
  { isLive, lost }: DeploymentPass,
): Promise<{ job: Job; checkAt: string }> {
  const now = context.clock.now();
  const isOverdue = ({ due_at }: JobDeployment) => lost || Date.parse(due_at) < now - OVERDUE;
  const known = await context.deployments.list(found.id);
  const isComplete = await hasAllRecords(context, found, known);
  const isUnchanged = isComplete && onlyCalls(found, known) && !known.some((one) => !isFinal(one) && isOverdue(one));
  if (isUnchanged) return { job: found, checkAt: nextCheckOf(known, now) };
  const job = isComplete ? found : await startDeployments(context, found);
  const open = (isComplete ? known : await context.deployments.list(job.id)).filter((one) => !isFinal(one));
  const running: JobDeployment[] = [];
  for (const one of open.filter(({ state }) => state === 'running')) {
    const isOver = one.ends_by === undefined || one.ends_by < timestamp(now);
    if (!isOver && (await isLive(one.worker_id ?? ''))) running.push(one);
    else await fail(context, one, now);
  }
  const commands = running.length > 0 ? [] : await stillRun(context, open.filter(isWaitingCommand));
  const turns = running.length > 0 ? [] : await turnsOf(context, job);
  const when = commands.length > 0 ? await whenCommandsAct(context, job, turns) : 'later';
  // A turn may wait for a command that no longer runs: its worker was lost. Nothing checks that once commands are held,
  // so before that, a turn that is about to be recorded as waiting gets a new version.
  const isHeldNow = when === 'later' && commands.length > 0;
  if (job.thread_id !== undefined && (isHeldNow || turns.some((turn) => awaits(turn.job, job))))
    await settleThread(context, job.thread_id);
  if (when === 'never') for (const one of commands) await skipDeployment(context, one, FOLDER_HAS_CHANGED);
  if (isHeldNow) await holdCommands(context, job);
  for (const one of open.filter(({ state }) => state === 'pending')) {
    // One command of a job at a time, and one message for all of them.
    if (runsCommands(one) && (when !== 'now' || one !== commands[0])) continue;
    if (isOverdue(one)) await announce(context, job, one, { toWorkers: true });
  }
  let latest = job;
  for (const attempt of attemptsDue(job, 'bindings')) latest = await unmarkIfDone(context, latest, attempt);
  return { job: latest, checkAt: nextCheckOf(open, now) };
}

/** A worker that runs commands may die at any time; a call is overdue a while after it was to be made. */
function nextCheckOf(deployments: readonly JobDeployment[], now: number): string {
  const open = deployments.filter((one) => !isFinal(one));
  const calls = open.every((one) => !runsCommands(one)) ? open.map(({ due_at }) => Date.parse(due_at)) : [];
  return timestamp(Math.max(now, ...calls.toSorted((a, b) => a - b).slice(0, 1)) + OVERDUE);
}

/** Whether each pending attempt of a job has the records of all bindings that have seen its success. */
async function hasAllRecords(
  { bindings }: ReconcileDeploymentsContext,
  job: Job,
  known: readonly JobDeployment[],
): Promise<boolean> {
  const { project_id, finished_at } = job;
  if (finished_at === undefined) return false;
  const acting = (await bindings.list(project_id)).filter((one) => acts(one) && one.created_at <= finished_at);
  return attemptsDue(job, 'bindings').every((attempt) =>
    acting.every(({ id }) => known.some((one) => one.attempt === attempt && one.binding === id)),
  );
}

/** Whether each pending attempt has open calls, and the job has no commands, which its thread may wait for. */
function onlyCalls(job: Job, known: readonly JobDeployment[]): boolean {
  if (known.some(runsCommands)) return false;
  return attemptsDue(job, 'bindings').every((attempt) => known.some((one) => one.attempt === attempt && !isFinal(one)));
}

/** Whether a turn waits for another job of its thread. */
function awaits(turn: TurnWithJob['job'], { id }: Pick<Job, 'id'>): boolean {
  return typeof turn === 'object' && turn.parked === 'waiting_for_thread' && turn.waits_for === id;
}

function isWaitingCommand(deployment: JobDeployment): boolean {
  return deployment.state === 'pending' && runsCommands(deployment);
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
