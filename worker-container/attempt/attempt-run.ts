import type { Logger } from '@aws-lambda-powertools/logger';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { timeoutMs } from '../../lib/platform/config/timeout.ts';
import { AttemptLogin } from '../account/attempt-login.ts';
import { usesLogin } from '../agents/agent-environment.ts';
import { AgentNotStartedError } from '../commands/not-started-error.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { workFolders } from '../workspace/work-folders.ts';
import { AttemptClocks } from './attempt-clocks.ts';
import type { AttemptContext, AttemptRun, AttemptSurroundings } from './attempt-context.ts';
import { keepAttemptFiles, makeAttemptFiles } from './attempt-files.ts';
import { DRAIN_TIMEOUT_MS, finishAgent } from './finish-agent.ts';
import { type PreparedAttempt, prepareAttempt } from './prepare-attempt.ts';
import { abandonAgent, startAgent } from './start-agent.ts';

/**
 * Runs the profile's agent on a job until none of its processes is alive and all its output is stored.
 * @throws Error with a plain message when it can't be started.
 */
export async function runAgent(
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  surroundings: AttemptSurroundings,
): Promise<AttemptRun> {
  const login = await rethrowTransient(() => loginOf(context, surroundings));
  surroundings.redaction.add(login?.secrets ?? []);
  try {
    return await runWithLogin(context, job, { ...surroundings, login });
  } finally {
    await login?.close();
  }
}

async function runWithLogin(
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  surroundings: AttemptSurroundings & { readonly login: AttemptLogin | undefined },
): Promise<AttemptRun> {
  const { ending, attemptDir, reads, login, redaction, onProgress, job: watch } = surroundings;
  const mark = `${context.markPrefix}${job.id}/${job.attempt}`;
  const clocks = new AttemptClocks(ending, timeoutMs(job.timeout, context.env.PROMPTQ_TIMEOUT_UNIT));
  const lending = workFolders(context);
  let prepared: PreparedAttempt | undefined;
  try {
    const files = makeAttemptFiles(attemptDir, context, job);
    const account = login?.account;
    const onContinued = () => clocks.onContinued(job.ran_before ?? 0);
    const deadline = () => clocks.deadline(context.clock.now());
    const at = {
      attemptDir,
      reads,
      ending,
      mark,
      files,
      redaction,
      onProgress,
      onContinued,
      watch,
      lending,
      account,
      deadline,
    };
    prepared = await prepareAttempt(context, job, at).catch(async (error: unknown) => {
      // The author of a failed setup command needs its output.
      throw new AgentNotStartedError(
        error,
        await keepAttemptFiles(context, job, { files, redaction, signal: AbortSignal.timeout(DRAIN_TIMEOUT_MS) }),
      );
    });
    const around = { ...surroundings, mark, files, clocks };
    const running = await startAgent(context, job, prepared, around);
    try {
      return await finishAgent(context, job, { prepared, running, login }, around);
    } catch (error) {
      await abandonAgent(context, prepared, mark, running).catch((left: Error) =>
        context.log.error('an abandoned agent was not ended', left),
      );
      throw error;
    }
  } finally {
    clocks.stop();
    // A job that the agent has started in its folder may be opening it to itself.
    const isShared = job.shares_folder === true || prepared?.tools?.isSharing() === true;
    if (!isShared) await lending.close();
  }
}

/** Copies the login for an agent that uses the linked account. @throws AccountRequiredError if none is linked */
async function loginOf(
  { env, credentials, log, account }: AttemptContext & { readonly log: Logger },
  { reads: { profile }, attemptDir }: AttemptSurroundings,
): Promise<AttemptLogin | undefined> {
  if (credentials === undefined || profile === undefined || !usesLogin(env, profile)) return undefined;
  return await AttemptLogin.copyInto(attemptDir, credentials, {
    account,
    onFailure: (error) => log.warn('a changed login was not written back', error as Error),
  });
}
