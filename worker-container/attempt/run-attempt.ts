import { join } from 'node:path';
import { readForClaim } from '../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import type { Outcome } from '../../lib/jobs/receipts/receipt.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { timeoutMs } from '../../lib/platform/config/timeout.ts';
import { isDiskFull } from '../../lib/platform/operations/probe-disk.ts';
import { AttemptLogin } from '../account/attempt-login.ts';
import { OlderCliError } from '../agent-sessions/session-origin.ts';
import { secretsOf, usesLogin } from '../agents/agent-environment.ts';
import { Ending, isReleasingJob } from '../commands/ending.ts';
import { AgentNotStartedError, CancelledBeforeStartError, lacksResources } from '../commands/not-started-error.ts';

import { Heartbeat, VisibilityExtender } from '../heartbeat/heartbeat.ts';

import { Redaction } from '../secrets/redaction.ts';
import { rethrowTransient, SettingsUnreadError } from '../secrets/transient-error.ts';
import { JobWatch } from '../tools/job-watch.ts';
import { workFolders } from '../workspace/work-folders.ts';
import type { AgentAttempt, Attempt, AttemptContext, AttemptRun, Claim } from './attempt.ts';
import { AttemptClocks } from './attempt-clocks.ts';
import { attemptFolder, keepAttemptFiles, makeAttemptFiles, recordOf } from './attempt-files.ts';
import { endedEarly, NO_STREAM, notStarted, startFailure } from './attempt-outcome.ts';
import { reportAttempt } from './attempt-report.ts';
import { DRAIN_TIMEOUT_MS, finishAgent } from './finish-agent.ts';
import { type PreparedAgent, prepareAgent } from './prepare-agent.ts';
import { abandonAgent, startAgent } from './start-agent.ts';
import { runOfSystemJob } from './system-jobs.ts';

/**
 * Runs one claimed job to the end of its attempt, and acknowledges the dispatch message. Never rejects: a failure becomes
 * the attempt's outcome, or the job is taken over when its lease expires.
 * @param context.reads what the claim has read. Default: it is read now
 * @param stopping aborted when the worker releases its running attempts.
 * @returns the updated job, if its outcome was reported.
 */
export async function runAttempt(
  context: AttemptContext & Partial<Pick<Attempt, 'reads'>>,
  job: Job,
  received: ReceivedMessage,
  stopping: AbortSignal,
): Promise<Job | undefined> {
  const machine = context.machine ?? { folder: attemptFolder, runAgent };
  const redaction = new Redaction(secretsOf(context.env, new Map()));
  const log = context.log.createChild({
    persistentKeys: { job_id: job.id, attempt: job.attempt },
    jsonReplacerFn: (_key, value) => (typeof value === 'string' ? redaction.text(value) : value),
  });
  const worker = { ...context, log };
  const ending = new Ending();
  const { claim, release } = holdClaim(worker, job, received, ending);
  const stop = () => ending.request('stopping');
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  const begun = { worker, job, claim, redaction, ending, startedAt: timestamp(context.clock.now()) };
  // Agents remember paths: those of HOME, TMPDIR and attachments are the same in all turns of a thread.
  const wanted = join(context.env.PROMPTQ_WORK_DIR, 'attempts', job.thread_id ?? job.id);
  let folder: string | undefined;
  try {
    folder = await machine.folder.make(wanted, { isPassable: context.account !== undefined });
    const reads = context.reads ?? (await rethrowTransient(() => readForClaim(context, job)));
    const run = await (runOfSystemJob(job) ?? machine.runAgent)({ ...begun, folder, reads });
    try {
      return await reportAttempt(begun, run);
    } finally {
      // The outcome is reported, or the receipt has it.
      await run.dispose().catch((error: Error) => log.warn('files of the output not removed', error));
    }
  } catch (error) {
    return await reportFailure(begun, error);
  } finally {
    release.heartbeat.stop();
    stopping.removeEventListener('abort', stop);
    if (folder !== undefined)
      await machine.folder.remove(folder).catch((error: Error) => log.warn('attempt folder not removed', error));
    await release.visibility.acknowledge();
  }
}

/** Extends the lease and the message's visibility, and requests the end when clients do, or when the claim is lost. */
function holdClaim(context: AttemptContext, job: Job, received: ReceivedMessage, ending: Ending) {
  const { dispatchQueues, jobs, clock, timing, log } = context;
  const acknowledge = context.acknowledge ?? ((handled) => dispatchQueues.acknowledge(handled));
  const extend = dispatchQueues.extend.bind(dispatchQueues);
  const visibility = new VisibilityExtender({ extend, acknowledge }, received, log, timing);
  const watched = new EventTarget();
  const watch = new JobWatch();
  let progress: Progress | undefined;
  const heartbeat = new Heartbeat({
    ...{ jobs, clock, timing, job },
    listen: (changed) => context.signals.listen(job.id, changed),
    progress: () => progress,
    events: {
      onEndRequested: ({ kill }) => ending.request(kill ? 'killed' : 'cancelled'),
      onLost: () => ending.request('lost'),
      onWatched: (isWatched) => watched.dispatchEvent(new Event(isWatched ? 'watched' : 'unwatched')),
      onMessages: () => void watched.dispatchEvent(new Event('messages')),
      onRead: (current) => watch.hear(current),
      onBeat: () => void visibility.extend(),
      onFailure: (error) => log.warn('the heartbeat failed', error as Error),
    },
  });
  const onProgress = (reported: Progress) => {
    progress = reported;
  };
  const claim: Claim = { watch, watched, onProgress, seen: new Set() };
  return { claim, release: { heartbeat, visibility } };
}

/**
 * Runs the profile's agent on a job until none of its processes is alive and all its output is stored.
 * @throws AgentNotStartedError; Error with a plain message when it can't be started.
 */
async function runAgent(begun: Attempt): Promise<AttemptRun> {
  const { worker, job, ending, folder, redaction } = begun;
  const clocks = new AttemptClocks(ending, timeoutMs(job.timeout, worker.env.PROMPTQ_TIMEOUT_UNIT));
  const lending = workFolders(worker);
  let login: AttemptLogin | undefined;
  let prepared: PreparedAgent | undefined;
  try {
    login = await rethrowTransient(() => loginOf(begun));
    redaction.add(login?.secrets ?? []);
    const mark = `${worker.markPrefix}${job.id}/${job.attempt}`;
    const files = makeAttemptFiles(folder, worker, job);
    const attempt: AgentAttempt = { ...begun, mark, files, clocks, lending, login };
    prepared = await prepareAgent(attempt).catch(async (error: unknown) => {
      // The author of a failed setup command needs its output.
      throw new AgentNotStartedError(error, await keepAttemptFiles(attempt, AbortSignal.timeout(DRAIN_TIMEOUT_MS)));
    });
    const running = await startAgent(attempt, prepared);
    try {
      return await finishAgent(attempt, prepared, running);
    } catch (error) {
      await abandonAgent(attempt, prepared, running).catch((left: Error) =>
        worker.log.error('an abandoned agent was not ended', left),
      );
      throw error;
    }
  } finally {
    clocks.stop();
    // A job that the agent has started in its folder may be opening it to itself.
    const isShared = job.shares_folder === true || prepared?.tools?.isSharing() === true;
    if (!isShared) await lending.close();
    await login?.close();
  }
}

/** Copies the login for an agent that uses the linked account. @throws AccountRequiredError if none is linked */
async function loginOf({ worker, reads: { profile }, folder }: Attempt): Promise<AttemptLogin | undefined> {
  const { env, credentials, log, account } = worker;
  if (credentials === undefined || profile === undefined || !usesLogin(env, profile)) return undefined;
  return await AttemptLogin.copyInto(folder, credentials, {
    account,
    onFailure: (error) => log.warn('a changed login was not written back', error as Error),
  });
}

/** Reports an attempt that failed, unless the job is to be taken over when its lease expires. */
async function reportFailure(attempt: Omit<Attempt, 'folder' | 'reads'>, error: unknown): Promise<Job | undefined> {
  const { worker, job, claim, ending } = attempt;
  const failure = error instanceof AgentNotStartedError ? error.cause : error;
  const isEnded = failure instanceof CancelledBeforeStartError;
  if (!isEnded) worker.log.error('the attempt failed to run', failure as Error);
  if (lacksResources(failure)) worker.onShortage?.();
  if (ending.reason === 'lost' || (isReleasingJob(ending) && !isEnded)) return undefined;
  const kept = error instanceof AgentNotStartedError ? error.kept : { attachments: [], warnings: [] };
  const record = {
    outcome: outcomeOf(failure, ending, `${job.timeout} ${worker.env.PROMPTQ_TIMEOUT_UNIT}`),
    composed_prompt: '',
    streams: { stdout: NO_STREAM, stderr: NO_STREAM },
    // The agent may have run: its session can have been saved with them.
    ...(claim.seen.size > 0 && { messages: [...claim.seen] }),
    ...recordOf(failure instanceof OlderCliError ? { ...kept, warnings: [`session: ${failure.message}`] } : kept),
  };
  return await reportAttempt(attempt, { record, sources: undefined, attachments: kept.attachments });
}

/** The outcome of an attempt whose agent never ran. */
function outcomeOf(failure: unknown, ending: Ending, timeout: string): Outcome {
  if (failure instanceof CancelledBeforeStartError) return endedEarly(ending.reason, timeout);
  if (failure instanceof OlderCliError) return { ...notStarted(), older_cli: true };
  // Another worker can run it, or this one once it has room. Another job of the machine may have used up its processes.
  const isWorkers = failure instanceof SettingsUnreadError || isDiskFull(failure) || lacksResources(failure);
  return isWorkers ? notStarted() : startFailure(failure);
}
