import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import { readForClaim } from '../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import type { Receipt } from '../../lib/jobs/receipts/receipt.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { isDiskFull } from '../../lib/platform/operations/probe-disk.ts';
import { OlderCliError } from '../agent-sessions/session-origin.ts';
import { secretsOf } from '../agents/agent-environment.ts';
import { Ending, isReleasingJob } from '../commands/ending.ts';
import { lacksResources } from '../commands/lacks-resources.ts';
import { AgentNotStartedError, CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { Heartbeat } from '../heartbeat/heartbeat.ts';
import { VisibilityExtender } from '../heartbeat/visibility-extender.ts';
import { Redaction } from '../secrets/redaction.ts';
import { rethrowTransient, SettingsUnreadError } from '../secrets/transient-error.ts';
import { JobWatch } from '../tools/job-watch.ts';
import type { AttemptContext, AttemptSurroundings } from './attempt-context.ts';
import { recordOf } from './attempt-files.ts';
import { attemptFolder } from './attempt-folder.ts';
import { endedEarly, notStarted, startFailure } from './attempt-outcome.ts';
import { reportAttempt } from './attempt-report.ts';
import { runAgent } from './attempt-run.ts';

const NO_OUTPUT = {
  bytes: 0,
  lines: 0,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  complete: true,
};

/**
 * Runs one claimed job to the end of its attempt: workspace, agent, output, outcome, receipt, report. Then acknowledges
 * the dispatch message. Never rejects: a failure becomes the attempt's outcome, or the job is taken over when its lease
 * expires.
 * @param context.reads what the claim has read. Default: it is read now
 * @param stopping aborted when the worker releases its running attempts.
 * @returns the updated job, if its outcome was reported.
 */
export async function runAttempt(
  context: AttemptContext & Partial<Pick<AttemptSurroundings, 'reads'>>,
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
  const ending = new Ending();
  const claim = holdClaim({ ...context, log }, job, received, ending);
  const stop = () => ending.request('stopping');
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  // Agents remember paths: those of HOME, TMPDIR and attachments are the same in all turns of a thread.
  const wantedDir = join(context.env.PROMPTQ_WORK_DIR, 'attempts', job.thread_id ?? job.id);
  let attemptDir: string | undefined;
  const startedAt = timestamp(context.clock.now());
  const seen = new Set<string>();
  try {
    attemptDir = await machine.folder.make(wantedDir, { isPassable: context.account !== undefined });
    const { watched, onProgress, watch } = claim;
    const reads = context.reads ?? (await rethrowTransient(() => readForClaim(context, job)));
    const around = { attemptDir, reads, ending, watched, redaction, onProgress, seen, job: watch };
    const run = await machine.runAgent({ ...context, log }, job, around);
    try {
      const { record, sources, attachments } = run;
      return await reportAttempt({ ...context, log }, job, {
        ...record,
        startedAt,
        sources,
        attachmentList: attachments,
        redaction,
        releasing: ending.releasing,
      });
    } finally {
      // The outcome is reported, or the receipt has it.
      await run.dispose().catch((error: Error) => log.warn('files of the output not removed', error));
    }
  } catch (error) {
    const failure = error instanceof AgentNotStartedError ? error.cause : error;
    const isEnded = failure instanceof CancelledBeforeStartError;
    if (!isEnded) log.error('the attempt failed to run', failure as Error);
    if (lacksResources(failure)) context.onShortage?.();
    // Without a reported outcome, the lease expires and the job is taken over.
    if (ending.reason === 'lost' || (isReleasingJob(ending) && !isEnded)) return undefined;
    const kept = error instanceof AgentNotStartedError ? error.kept : { attachments: [], warnings: [] };
    const record = {
      outcome: outcomeOf(failure, ending, `${job.timeout} ${context.env.PROMPTQ_TIMEOUT_UNIT}`),
      composed_prompt: '',
      streams: { stdout: NO_OUTPUT, stderr: NO_OUTPUT },
      // The agent may have run: its session can have been saved with them.
      ...(seen.size > 0 && { messages: [...seen] }),
      ...recordOf(failure instanceof OlderCliError ? { ...kept, warnings: [`session: ${failure.message}`] } : kept),
    };
    return await reportAttempt({ ...context, log }, job, {
      ...record,
      startedAt,
      sources: undefined,
      attachmentList: kept.attachments,
      redaction,
      releasing: ending.releasing,
    });
  } finally {
    claim.heartbeat.stop();
    stopping.removeEventListener('abort', stop);
    if (attemptDir !== undefined)
      await machine.folder.remove(attemptDir).catch((error: Error) => log.warn('attempt folder not removed', error));
    await claim.visibility.acknowledge();
  }
}

/** What keeps a claim, and passes on what clients want of the job, until it is stopped. */
interface HeldClaim {
  readonly heartbeat: Heartbeat;
  readonly visibility: VisibilityExtender;
  readonly watch: JobWatch;
  readonly watched: AttemptSurroundings['watched'];
  readonly onProgress: AttemptSurroundings['onProgress'];
}

/** Extends the lease and the message's visibility, and requests the end when clients do, or when the claim is lost. */
function holdClaim(
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  received: ReceivedMessage,
  ending: Ending,
): HeldClaim {
  const { dispatchQueues, jobs, clock, timing, log } = context;
  const acknowledge = context.acknowledge ?? ((handled) => dispatchQueues.acknowledge(handled));
  const extend = dispatchQueues.extend.bind(dispatchQueues);
  const visibility = new VisibilityExtender({ extend, acknowledge }, received, log, timing);
  const watched = new EventTarget();
  const watch = new JobWatch();
  let progress: Progress | undefined;
  const heartbeat = new Heartbeat({
    ...{ jobs, clock, timing, job },
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
  return { heartbeat, visibility, watch, watched, onProgress };
}

/** The outcome of an attempt whose agent never ran. */
function outcomeOf(failure: unknown, ending: Ending, timeout: string): Receipt['outcome'] {
  if (failure instanceof CancelledBeforeStartError) return endedEarly(ending.reason, timeout);
  if (failure instanceof OlderCliError) return { ...notStarted(), older_cli: true };
  // Another worker can run it, or this one once it has room. Another job of the machine may have used up its processes.
  const isWorkers = failure instanceof SettingsUnreadError || isDiskFull(failure) || lacksResources(failure);
  return isWorkers ? notStarted() : startFailure(failure);
}
