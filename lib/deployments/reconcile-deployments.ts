import { acts } from '../bindings/deploy-binding.ts';
import { isFinal, type JobDeployment, runsCommands } from '../jobs/deployments/job-deployment.ts';
import { indexKeys } from '../jobs/indexes/index-keys.ts';
import { PENDING_BINDINGS_KEY } from '../jobs/indexes/ready-keys.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { ReadPartition } from '../jobs/store/ready-partition.ts';
import { whenCommandsAct } from '../jobs/threads/commands-turn.ts';
import { type ThreadContext, type TurnWithJob, turnsOf } from '../jobs/threads/read-thread.ts';
import { settleThread } from '../jobs/threads/settle-thread.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { LiveWorkers } from '../workers/live-workers.ts';
import { FOLDER_HAS_CHANGED, holdCommands, skipDeployment } from './commands-in-thread.ts';
import { whyNotRun } from './skipped-commands.ts';
import { announce, type DeployContext, startDeployments, unmarkIfDone } from './start-deployments.ts';

export interface ReconcileDeploymentsContext extends DeployContext, Pick<ThreadContext, 'threads'> {
  readonly partition: ReadPartition;
  readonly workers: LiveWorkers;
}

/** Milliseconds after which something due has lost its message, or the worker that was to do it. */
const OVERDUE = 60_000;

/** Milliseconds in which a pass begins to check jobs. The next one continues. */
const PASS_MS = 60_000;

/**
 * Completes deployments after a crash: writes missing records, sends messages again for deployments that no one works
 * on, and fails commands whose worker was lost, which are never retried automatically.
 * @param options.lost all messages were lost: also send those that are due later.
 * @param options.from where the last pass ended
 * @returns where this one ended, because it took too long; undefined: it has checked all jobs
 */
export async function reconcileDeployments(
  context: ReconcileDeploymentsContext,
  { lost = false, from }: { lost?: boolean; from?: string | undefined } = {},
): Promise<string | undefined> {
  // The next pass does not know that the messages were lost.
  const until = lost ? Number.POSITIVE_INFINITY : context.clock.now() + PASS_MS;
  const isLive = liveness(context.workers);
  for await (const listed of pendingFrom(context, from)) {
    if (context.clock.now() >= until) return placeOf(listed);
    await skipDamaged(`job ${listed.id}`, async () => {
      const job = await context.jobs.find(listed.id);
      if (job === undefined || job === 'newer' || job.bindings_pending === undefined) return;
      await reconcileDeploymentsOf(context, job, { isLive, lost });
    });
  }
  return undefined;
}

/** The jobs with pending deployments from a place in their order on, then those before it. */
async function* pendingFrom({ partition }: ReconcileDeploymentsContext, from: string | undefined): AsyncGenerator<Job> {
  if (from === undefined) return yield* partition(PENDING_BINDINGS_KEY);
  yield* partition(PENDING_BINDINGS_KEY, { from });
  for await (const job of partition(PENDING_BINDINGS_KEY)) {
    if (placeOf(job) >= from) return;
    yield job;
  }
}

function placeOf(job: Job): string {
  return indexKeys(job).ready_order ?? '';
}

/** Whether a worker lives. One that is not known may have started since the workers were read: they are read again. */
function liveness(workers: LiveWorkers): (workerId: string) => Promise<boolean> {
  let known = new Set<string>();
  return async (workerId) => {
    if (!known.has(workerId)) known = new Set(workers.living(await workers.recent()).map(({ id }) => id));
    return known.has(workerId);
  };
}

async function reconcileDeploymentsOf(
  context: ReconcileDeploymentsContext,
  found: Job,
  { isLive, lost }: { isLive: (workerId: string) => Promise<boolean>; lost: boolean },
): Promise<void> {
  const now = context.clock.now();
  const isOverdue = ({ due_at }: JobDeployment) => lost || Date.parse(due_at) < now - OVERDUE;
  const known = await context.deployments.list(found.id);
  const isComplete = await hasAllRecords(context, found, known);
  if (isComplete && onlyCalls(found, known) && !known.some((one) => !isFinal(one) && isOverdue(one))) return;
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
  for (const attempt of job.bindings_pending ?? []) await unmarkIfDone(context, job, attempt);
}

/** Whether each pending attempt of a job has the records of all bindings that have seen its success. */
async function hasAllRecords(
  { bindings }: ReconcileDeploymentsContext,
  { project_id, bindings_pending = [], finished_at }: Job,
  known: readonly JobDeployment[],
): Promise<boolean> {
  if (finished_at === undefined) return false;
  const acting = (await bindings.list(project_id)).filter((one) => acts(one) && one.created_at <= finished_at);
  return bindings_pending.every((attempt) =>
    acting.every(({ id }) => known.some((one) => one.attempt === attempt && one.binding === id)),
  );
}

/** Whether each pending attempt has open calls, and the job has no commands, which its thread may wait for. */
function onlyCalls({ bindings_pending = [] }: Job, known: readonly JobDeployment[]): boolean {
  if (known.some(runsCommands)) return false;
  return bindings_pending.every((attempt) => known.some((one) => one.attempt === attempt && !isFinal(one)));
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
