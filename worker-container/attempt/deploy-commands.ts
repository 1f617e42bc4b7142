import { commandsOf, type DeployBinding, timeoutOf } from '../../lib/bindings/deploy-binding.ts';
import { deploymentOf, whyNotRun } from '../../lib/deployments/deploy-commands.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { workingFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import type { Outcome } from '../../lib/jobs/receipts/receipt.ts';
import { whenCommandsAct } from '../../lib/jobs/threads/commands-turn.ts';
import { timeoutText } from '../../lib/platform/config/timeout.ts';
import { agentEnvironment, parameterVariables, plainEnvironment, secretsOf } from '../agents/agent-environment.ts';
import { type CommandEnd, runCommand } from '../commands/bash-command.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { survivorsText } from '../commands/process-tree.ts';
import { LogTail } from '../output/log-tail.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { workFolders } from '../workspace/work-folders.ts';
import type { Attempt, AttemptRun } from './attempt.ts';
import { openPersonal } from './attempt-files.ts';
import { NO_STREAM, notStarted } from './attempt-outcome.ts';
import { readSecrets } from './prepare-agent.ts';

/** What the commands of a binding run with. */
interface Surroundings {
  readonly binding: DeployBinding;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the commands of a deploy binding, one after the other, in the folder of the job that they deploy, until one fails.
 * What they write last is the attempt's message.
 * @throws before the first command: CancelledBeforeStartError; SettingsUnreadError; Error with a plain message
 */
export async function runDeployCommands(attempt: Attempt): Promise<AttemptRun> {
  const { worker, job, ending } = attempt;
  const found = await rethrowTransient(() => whatToDeploy(attempt));
  if ('outcome' in found) return withoutOutput(found.outcome);
  const { source, binding } = found;
  const folder = workingFolder(worker.folders, source);
  if ('rejected' in folder) throw new Error(`cwd: ${folder.rejected}`);
  const lending = workFolders(worker);
  try {
    const cwd = worker.account === undefined ? folder.path : await lending.lend(folder.path, source);
    const open = worker.machine?.openPersonal ?? openPersonal;
    const own = await open(worker, source, `${job.id}-${job.attempt}`);
    try {
      const env = await environmentOf(attempt, { source, binding, personal: own.environment });
      if (ending.reason !== undefined) throw new CancelledBeforeStartError();
      return await runAll(attempt, { binding, cwd, env });
    } finally {
      await own.close();
    }
  } finally {
    await lending.close();
  }
}

/** The job to deploy and the binding; or the outcome if there is nothing to do, or not now: a fork copies the folder. */
async function whatToDeploy({
  worker,
  job,
}: Attempt): Promise<{ readonly source: Job; readonly binding: DeployBinding } | { readonly outcome: Outcome }> {
  const known = await deploymentOf(worker, job);
  const source = known && (await worker.jobs.find(known.job_id));
  if (known === undefined || source === undefined || source === 'newer') return { outcome: notStarted() };
  const binding = await worker.bindings.get(known.binding);
  if (binding === undefined || whyNotRun(worker, known, binding) !== undefined)
    return { outcome: { kind: 'cancelled', reason: 'cancelled_by_request', exit_code: null, signal: null } };
  return (await whenCommandsAct(worker, source)) === 'now' ? { source, binding } : { outcome: notStarted() };
}

async function environmentOf(
  { worker, reads: { profile, parameters }, redaction }: Attempt,
  { source, binding, personal }: { source: Job; binding: DeployBinding; personal: Readonly<Record<string, string>> },
): Promise<Record<string, string>> {
  const { env } = worker;
  // The variables of the agent's own profile, and nothing of its vendor account.
  const shell = profile && { ...profile, agent: 'shell' as const };
  const secrets =
    shell === undefined ? new Map<string, string>() : await rethrowTransient(() => readSecrets(worker, shell));
  redaction.add(secretsOf(env, secrets));
  return {
    ...(shell === undefined
      ? { ...plainEnvironment(env), ...personal }
      : agentEnvironment(env, shell, secrets, personal)),
    ...parameterVariables(parameters()),
    PROMPTQ_JOB_ID: source.id,
    PROMPTQ_PROJECT: withoutNul(source.project),
    PROMPTQ_BINDING: withoutNul(binding.name),
  };
}

/** Never rejects: some of the commands may have run. */
async function runAll(attempt: Attempt, surroundings: Surroundings): Promise<AttemptRun> {
  const tail = new LogTail();
  const outcome = await runEach(attempt, surroundings, tail).catch((error: Error) => failed(error.message));
  const { log, truncated } = tail.end();
  const { record, ...run } = withoutOutput(outcome);
  const streams = { ...record.streams, stdout: { ...NO_STREAM, complete: !truncated } };
  return { ...run, record: { ...record, streams, agent: 'shell', final_message: log } };
}

async function runEach(
  { worker, job, ending, redaction }: Attempt,
  { binding, cwd, env }: Surroundings,
  tail: LogTail,
): Promise<Outcome> {
  const { account, killTimeoutMs, markPrefix } = worker;
  const run = worker.machine?.runCommand ?? runCommand;
  const stopping = new AbortController();
  void ending.requested.then(() => stopping.abort());
  for (const command of commandsOf(binding)) {
    const shown = redaction.text(command);
    tail.push(Buffer.from(`$ ${shown}\n`));
    const end = await run({
      ...{ command, cwd, env, account, redaction, killTimeoutMs, stopping: stopping.signal },
      mark: `${markPrefix}${job.id}/${job.attempt}`,
      timeoutMs: timeoutOf(binding) * 1000,
      onData: (chunk) => tail.push(chunk),
    });
    if (end.survivors.length > 0) {
      worker.onSurvivors?.();
      tail.push(Buffer.from(`processes: ${survivorsText(end.survivors)}\n`));
    }
    const error = failureOf(shown, end, timeoutOf(binding));
    if (error !== undefined) return failed(error, end);
  }
  return { kind: 'succeeded', reason: 'exited', exit_code: 0, signal: null };
}

function failed(error: string, { exit, ended }: Partial<CommandEnd> = {}): Outcome {
  const how = { exit_code: exit?.exitCode ?? null, signal: exit?.signal ?? null };
  return { kind: 'failed', reason: ended === 'timed out' ? 'timed_out' : 'exited', error, final: true, ...how };
}

function withoutOutput(outcome: Outcome): AttemptRun {
  const record = { outcome, composed_prompt: '', streams: { stdout: NO_STREAM, stderr: NO_STREAM } };
  return { record, sources: undefined, dispose: async () => undefined };
}

/** No variable can hold NUL. */
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
