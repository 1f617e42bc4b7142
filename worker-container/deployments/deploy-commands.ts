import { commandsOf, type DeployBinding, timeoutOf } from '../../lib/bindings/deploy-binding.ts';
import { holdCommands, noteBusyFolder, skipDeployment } from '../../lib/deployments/commands-in-thread.ts';
import { whyNotRun } from '../../lib/deployments/skipped-commands.ts';
import { finishDeployments } from '../../lib/deployments/start-deployments.ts';
import { leaveFolder } from '../../lib/jobs/admission/gates.ts';
import { isFinal, type JobDeployment, runsCommands } from '../../lib/jobs/deployments/job-deployment.ts';
import { effectOf } from '../../lib/jobs/lifecycle/effects.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { workingFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import { continueThread, settleThread } from '../../lib/jobs/threads/settle-thread.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { timeoutText } from '../../lib/platform/config/timeout.ts';
import { agentEnvironment, plainEnvironment, secretsOf } from '../agents/agent-environment.ts';
import type { AttemptContext } from '../attempt/attempt.ts';
import { openPersonal } from '../attempt/attempt-files.ts';
import { readSecrets } from '../attempt/prepare-agent.ts';
import { type CommandEnd, runCommand } from '../commands/bash-command.ts';
import { survivorsText } from '../commands/process-tree.ts';
import { LogTail } from '../output/log-tail.ts';
import { deadline, machineTiming, retrying } from '../output/timing.ts';

import { Redaction } from '../secrets/redaction.ts';
import { workFolders } from '../workspace/work-folders.ts';
import { beginCommands } from './begin-commands.ts';
import { whileRecorded } from './while-recorded.ts';

/** How long (ms) to retry storing the results of commands. After that, reconcile-jobs marks them as lost. */
const REPORT_TIMEOUT_MS = 600_000;
/** Milliseconds beyond the commands' own time after which reconcile-jobs marks them as lost. */
const MARGIN = 300_000 + REPORT_TIMEOUT_MS;

type Outcome = Pick<JobDeployment, 'state' | 'error'>;

/**
 * Runs the commands of a succeeded job's deploy bindings, one binding after the other, each at most once. A binding is
 * marked as running before it begins, and one that a dead worker left running is never run again automatically. When
 * the worker stops, the remaining bindings go to another worker.
 */
export async function runDeployments(
  context: AttemptContext,
  known: Pick<Job, 'id'>,
  stopping: AbortSignal,
): Promise<void> {
  for (let hasRun = false; ; hasRun = true) {
    const job = await context.jobs.get(known.id, { consistent: true });
    if (job === undefined) return;
    // A turn may wait for the command that has just ended. Further bindings of the job do not keep it waiting.
    if (hasRun && job.thread_id !== undefined) await settleThread(context, job.thread_id, job);
    if (effectOf(job, 'commands') === undefined) return await leaveFolder(context, job);
    const all = await context.deployments.list(job.id);
    const open = all.filter((one) => runsCommands(one) && !isFinal(one));
    const [next] = open;
    if (next === undefined) return await leaveFolder(context, job);
    // Another slot or worker runs one of them, and continues with the others.
    if (open.some(({ state }) => state === 'running')) return;
    if (stopping.aborted) return await context.dispatchQueues.send(job, { deploy: true });
    const postponed = await runOne(context, job, next, stopping);
    if (postponed === 'later') await holdCommands(context, job);
    if (postponed !== undefined) return;
    await continueThread(context, await finishDeployments(context, job, next));
  }
}

async function runOne(
  context: AttemptContext,
  job: Job,
  known: JobDeployment,
  stopping: AbortSignal,
): Promise<'later' | 'busy' | undefined> {
  const binding = await context.bindings.get(known.binding);
  const skipped = whySkipped(context, { job, known, binding });
  const now = context.clock.now();
  if (skipped !== undefined || binding === undefined) {
    await skipDeployment(context, known, skipped);
    return undefined;
  }
  const commands = commandsOf(binding);
  const running = await beginCommands(context, job, known, {
    started_at: timestamp(now),
    worker_id: context.workerId,
    ends_by: timestamp(now + commands.length * timeoutOf(binding) * 1000 + MARGIN),
  });
  if (running === 'busy') await noteBusyFolder(context, known);
  if (running === undefined || typeof running === 'string') return running;
  const tail = new LogTail();
  const redaction = new Redaction(secretsOf(context.env, new Map()));
  const outcome = await whileRecorded(context, running, async (givenUp) => {
    const end = AbortSignal.any([stopping, givenUp]);
    return await runAll(context, { job, binding, deployment: running, tail, stopping: end, redaction });
  }).catch((error: Error): Outcome => ({ state: 'failed', error: redaction.text(error.message) }));
  const finished_at = timestamp(context.clock.now());
  const { log, truncated } = tail.end();
  const { timing = machineTiming } = context;
  await retrying(
    async () => {
      const kept = await context.deployments.replace(running, {
        ...running,
        ...outcome,
        finished_at,
        log,
        log_truncated: truncated,
      });
      if (kept === undefined)
        context.log.warn('results of commands discarded: reconcile-jobs marked them as lost', { ...known });
    },
    {
      timing,
      signal: deadline(timing, REPORT_TIMEOUT_MS),
      onFailure: (error) => context.log.warn('storing results of commands failed; trying again', error as Error),
    },
  );
  return undefined;
}

function whySkipped(
  context: Pick<AttemptContext, 'commands'>,
  { job, known, binding }: { job: Job; known: JobDeployment; binding: DeployBinding | undefined },
): string | undefined {
  const notRun = whyNotRun(context, known, binding);
  if (notRun !== undefined) return notRun;
  // Its folder belongs to another attempt now.
  return job.status === 'SUCCEEDED' && job.attempt === known.attempt ? undefined : 'The job was run again before.';
}

interface Running {
  readonly job: Job;
  readonly binding: DeployBinding;
  readonly deployment: JobDeployment;
  readonly tail: LogTail;
  readonly stopping: AbortSignal;
  /** Collects the secrets that are read here. */
  readonly redaction: Redaction;
}

async function runAll(context: AttemptContext, running: Running): Promise<Outcome> {
  const { job, binding, deployment } = running;
  const folder = workingFolder(context.folders, job);
  if ('rejected' in folder) throw new Error(`cwd: ${folder.rejected}`);
  const lending = workFolders(context);
  try {
    const cwd = context.account === undefined ? folder.path : await lending.lend(folder.path, job);
    const own = await openPersonal(context, job, `${job.id}-${deployment.attempt}-${binding.id}`);
    try {
      return await runEach(context, running, { cwd, personal: own.environment });
    } finally {
      await own.close();
    }
  } finally {
    await lending.close();
  }
}

async function runEach(
  context: AttemptContext,
  { job, binding, deployment, tail, stopping, redaction }: Running,
  { cwd, personal }: { readonly cwd: string; readonly personal: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const { env, account } = context;
  const run = context.machine?.runCommand ?? runCommand;
  const profile = await context.profiles.get(job.profile);
  // The variables of the agent's own profile, and nothing of its vendor account.
  const environment = profile && { ...profile, agent: 'shell' as const };
  const secrets = environment === undefined ? new Map<string, string>() : await readSecrets(context, environment);
  redaction.add(secretsOf(env, secrets));
  for (const command of commandsOf(binding)) {
    const shown = redaction.text(command);
    tail.push(Buffer.from(`$ ${shown}\n`));
    const end = await run({
      command,
      cwd,
      env: {
        ...(environment === undefined
          ? { ...plainEnvironment(env), ...personal }
          : agentEnvironment(env, environment, secrets, personal)),
        PROMPTQ_JOB_ID: job.id,
        PROMPTQ_PROJECT: withoutNul(job.project),
        PROMPTQ_BINDING: withoutNul(binding.name),
      },
      mark: `${context.markPrefix}${job.id}/${deployment.attempt}/${binding.id}`,
      account,
      redaction,
      timeoutMs: timeoutOf(binding) * 1000,
      killTimeoutMs: context.killTimeoutMs,
      stopping,
      onData: (chunk) => tail.push(chunk),
    });
    if (end.survivors.length > 0) {
      context.onSurvivors?.();
      tail.push(Buffer.from(`processes: ${survivorsText(end.survivors)}\n`));
    }
    const error = failureOf(shown, end, timeoutOf(binding));
    if (error !== undefined) return { state: 'failed', error };
  }
  return { state: 'succeeded', error: undefined };
}

/** No variable can hold NUL. Names have none today, but names stored by earlier versions may. */
function withoutNul(name: string): string {
  return name.replaceAll('\0', '\u{fffd}');
}

function failureOf(command: string, { ended, exit }: CommandEnd, timeoutSeconds: number): string | undefined {
  // The table rejects the half of a surrogate pair that a cut can leave.
  const shown = (command.length > 80 ? `${command.slice(0, 80)}…` : command).toWellFormed();
  if (ended === 'stopped') return `The worker was stopped while this ran, and ended it: ${shown}`;
  if (ended === 'timed out') return `It ran longer than ${timeoutText(timeoutSeconds, 'seconds')}: ${shown}`;
  if (exit.exitCode === 0) return undefined;
  return `${exit.signal === null ? `Exit code ${exit.exitCode}` : `Ended by ${exit.signal}`}: ${shown}`;
}
