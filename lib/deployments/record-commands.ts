import { type GateContext, leaveFolder } from '../jobs/admission/gates.ts';
import { isFinal, type JobDeployment } from '../jobs/deployments/job-deployment.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import { effectOf } from '../jobs/lifecycle/effects.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { settleThread, wakeCommands } from '../jobs/threads/settle-thread.ts';
import { deploymentOf, whyNotRun } from './deploy-commands.ts';
import { type DeployContext, finishDeployments } from './start-deployments.ts';

/** Why commands are skipped once a later turn has begun. */
const FOLDER_HAS_CHANGED = 'A later turn of its thread has worked in the folder since.';

/** Writes the result of commands that have ended into their deployment. @returns the updated system job */
export async function recordCommands(context: DeployContext & GateContext, commands: Job): Promise<Job> {
  const { cause } = commands;
  const effect = effectOf(commands, 'deployed');
  if (cause.kind !== 'system' || effect === undefined) return commands;
  const known = await deploymentOf(context, commands);
  const source = await context.jobs.find(cause.job);
  if (known !== undefined && !isFinal(known)) {
    const written = { ...known, ...(await resultOf(context, known, commands, source)) };
    // Another process may have written the same.
    const job = typeof source === 'object' ? source : undefined;
    const isWritten =
      (await context.deployments.replace(known, written, job)) ?? (await deploymentOf(context, commands));
    if (isWritten !== undefined && !isFinal(isWritten))
      throw new Error(`the deployment of ${cause.job} by ${known.binding} has changed meanwhile`);
  }
  if (typeof source === 'object') {
    const job = known === undefined ? source : await finishDeployments(context, source, known);
    if (job.thread_id !== undefined) await settleThread(context, job.thread_id);
    await wakeCommands(context, job);
    await leaveFolder(context, job);
  }
  const done = await transition(context, commands, { type: 'effect', effect, step: 'done' });
  return done.job ?? commands;
}

type Result = Pick<JobDeployment, 'state' | 'attempts'> & Partial<JobDeployment>;

async function resultOf(
  context: DeployContext,
  known: JobDeployment,
  { id, status, attempt, error, started_at, finished_at }: Job,
  source: Job | 'newer' | undefined,
): Promise<Result> {
  const { attempts } = known;
  if (status === 'CANCELLED') {
    const notRun = whyNotRun(context, known, await context.bindings.get(known.binding));
    return { state: 'skipped', attempts, finished_at, error: notRun ?? whySkipped(known, source) };
  }
  const receipt = await context.readReceipt(id, attempt);
  const log = receipt?.final_message;
  return {
    state: status === 'SUCCEEDED' ? 'succeeded' : 'failed',
    attempts: attempts + 1,
    started_at,
    finished_at,
    error,
    ...(log !== undefined && { log, log_truncated: receipt?.streams.stdout.complete === false }),
  };
}

function whySkipped({ attempt }: JobDeployment, source: Job | 'newer' | undefined): string {
  const isNewest = typeof source === 'object' && source.status === 'SUCCEEDED' && source.attempt === attempt;
  return isNewest ? FOLDER_HAS_CHANGED : 'The job was run again before.';
}
