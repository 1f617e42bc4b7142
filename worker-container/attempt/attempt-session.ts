import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Profile } from '../../lib/catalog/profiles.ts';
import { boundedUsage, type Usage } from '../../lib/contract/usage.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { usedByLost } from '../../lib/jobs/lifecycle/resume.ts';
import { type Folders, ownFolder, resolveFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import type { Outcome, Receipt } from '../../lib/jobs/receipts/receipt.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import type { AgentFacts } from '../../lib/vendors/output/agent-output.ts';
import {
  type AttemptOfJob,
  attemptsBefore,
  chainOf,
  isUsageRecorded,
  type RestoredSession,
  restoreSession,
} from '../agent-sessions/restore-session.ts';
import { folderHost, type SessionOrigin } from '../agent-sessions/session-origin.ts';

import { SessionSaver } from '../agent-sessions/session-saver.ts';
import type { Agent } from '../agents/agent.ts';
import { restoreAttachments } from '../attachments/restore-attachments.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { s3OutputObjects } from '../output/output-objects.ts';
import type { AgentAttempt } from './attempt.ts';

/*
 * The session of an attempt's agent: which earlier one it continues, how its own is saved, and what it means if the CLI
 * or its vendor refuses it.
 */

/** What a session is made with: one that was made otherwise is not continued. */
interface SessionUse {
  readonly agent: Agent;
  readonly profile: Profile;
  readonly origin: SessionOrigin;
  readonly cwd: string;
}

interface Continuing extends SessionUse {
  /** What was said before; undefined: the job begins a conversation. */
  readonly earlier: readonly EarlierTurn[] | undefined;
}

/** The attempt that continues a session. */
type Continuer = Pick<AgentAttempt, 'worker' | 'job' | 'files' | 'ending'>;

/** The conversation that an attempt continues. */
interface Continued {
  /** undefined: the agent starts a new session. */
  readonly resumed: RestoredSession | undefined;
  readonly warnings: readonly string[];
}

/**
 * Puts in place what an attempt is to continue: the session and the attachments of an interrupted attempt, else the
 * newest session of the turns before.
 */
export async function continueSession(attempt: Continuer, about: Continuing): Promise<Continued> {
  const { job } = attempt;
  const { agent, profile, earlier } = about;
  if (agent.sessionFolder === undefined || profile.resume === 'never') return { resumed: undefined, warnings: [] };
  const folder = join(attempt.files.agent, agent.sessionFolder);
  const own = await continueOwn(attempt, { ...about, folder });
  // A session that the CLI refused is not tried again.
  if (own.resumed !== undefined || earlier === undefined || job.session_refused === true) return own;
  const candidates = attemptsBefore(earlier).slice(0, MAX_SEARCHED);
  const restored = await restore(attempt, { ...about, folder, candidates });
  if (typeof restored === 'object') return { resumed: restored, warnings: own.warnings };
  const why = `session: of the thread not continued: ${restored ?? 'it is missing'}`;
  return { resumed: undefined, warnings: [...own.warnings, why] };
}

/** Most attempts of earlier turns that are searched for a session. */
const MAX_SEARCHED = 50;

async function continueOwn(attempt: Continuer, about: Continuing & { readonly folder: string }): Promise<Continued> {
  const { job } = attempt;
  if (job.resume_from === undefined) return { resumed: undefined, warnings: [] };
  const restored = await restore(attempt, { ...about, candidates: chainOf(job) });
  if (typeof restored === 'object' && restored.attempt !== undefined)
    return { resumed: restored, warnings: await attachmentsOf(attempt, restored.attempt) };
  const why = typeof restored === 'string' ? restored : job.session_id === undefined ? undefined : 'it is missing';
  return { resumed: undefined, warnings: why === undefined ? [] : [`session: not continued: ${why}`] };
}

/** How long a job waits for a worker whose CLI is as new as the one that made the session, as while a deployment is updated. */
const NEWER_CLI_WAIT_MS = 600_000;

async function restore(
  { worker, job }: Continuer,
  about: Continuing & { readonly folder: string; readonly candidates: readonly AttemptOfJob[] },
): Promise<RestoredSession | string | undefined> {
  const { agent, profile, origin, cwd, folder, candidates, earlier = [] } = about;
  const { agentSessions, env, output, folders, workerId, clock } = worker;
  const { older_cli_since: since } = job;
  return await restoreSession({
    jobId: job.id,
    candidates,
    sessions: agentSessions,
    isRecorded: (found) => isUsageRecorded(output, { job, earlier }, found),
    lostBytes: ({ jobId, attempt }) => {
      const turn = earlier.find((other) => other.job.id === jobId);
      return usedByLost(turn?.job ?? job, attempt)?.session_bytes ?? 0;
    },
    meter: agent.createMeter?.(),
    agent: agent.name,
    vendor: profile.vendor,
    origin,
    waitsForNewerCli: since === undefined || clock.now() < Date.parse(since) + NEWER_CLI_WAIT_MS,
    cwd,
    copiedFrom: job.cwd === undefined ? foldersCopied(folders, job, earlier) : [],
    onlyWorker: `${cwd}/`.startsWith(`${folders.workspaces}/`) ? undefined : folderHost({ env, workerId }),
    folder,
  });
}

/** The folders from which the private folder of a job was copied, newest first: a fork may have been forked. */
function foldersCopied(folders: Folders, job: Job, earlier: readonly EarlierTurn[]): string[] {
  const paths: string[] = [];
  const known = [job, ...earlier.map((other) => other.job)];
  for (let at: Job | undefined = job; at !== undefined && paths.length < known.length; ) {
    const owner = known.find(({ id }) => id === ownFolder(at ?? job));
    at = owner?.forked_from === undefined ? undefined : known.find(({ id }) => id === owner.forked_from);
    const folder = at === undefined ? undefined : resolveFolder(folders, at);
    if (folder !== undefined && 'path' in folder) paths.push(folder.path);
  }
  return paths;
}

async function attachmentsOf(
  { worker: { attachments, agentSessions, account }, job, files, ending }: Continuer,
  attempt: number,
): Promise<readonly string[]> {
  return await restoreAttachments({
    jobId: job.id,
    attempt,
    store: attachments,
    sessions: agentSessions,
    folder: files.attachments,
    account,
    checkEnding() {
      if (ending.reason !== undefined) throw new CancelledBeforeStartError();
    },
  });
}

/** Milliseconds to save the rest of a session in. */
const SAVE_TIMEOUT_MS = 60_000;

/** Saves the session of an attempt's agent. */
export interface AttemptSession {
  /** The agent wrote something. */
  grown(): void;
  /**
   * Saves the rest, once no process of the attempt is alive.
   * @param limit milliseconds; 0: nothing more is saved
   * @returns warnings for the job
   */
  finish(limit?: number): Promise<readonly string[]>;
  dispose(): void;
  /** Once the session is saved: the attempt's usage, without that of the attempts before. */
  usage(reported: Usage | undefined): Pick<Receipt, 'usage' | 'usage_from'>;
}

const NONE: AttemptSession = {
  grown() {},
  finish: async () => [],
  dispose() {},
  usage: (usage) => (usage === undefined ? {} : { usage: boundedUsage(usage) }),
};

/** @param sessionId the id of the session, once it has the prompt */
export function saveSession(
  { worker, job, files, redaction }: Pick<AgentAttempt, 'worker' | 'job' | 'files' | 'redaction'>,
  { agent, profile, cwd, origin, resumed }: SessionUse & { readonly resumed: RestoredSession | undefined },
  sessionId: () => string | undefined,
): AttemptSession {
  if (agent.sessionFolder === undefined) return NONE;
  const meter = resumed === undefined ? agent.createMeter?.() : resumed.meter;
  const billed_bytes = resumed?.billedBytes ?? 0;
  const saver = new SessionSaver({
    jobId: job.id,
    attempt: job.attempt,
    folder: join(files.agent, agent.sessionFolder),
    sessionId,
    about: {
      agent: agent.name,
      vendor: profile.vendor,
      ...origin,
      cwd,
      worker_id: folderHost(worker),
      billed_bytes,
      ...(resumed?.attempt !== undefined && { resumed_from: resumed.attempt, chain: [...resumed.chain] }),
    },
    meter,
    restoredBytes: resumed?.bytes ?? 0,
    account: worker.account,
    objects: s3OutputObjects(worker.objects, worker.env.OUTPUT_BUCKET),
    redaction,
    timing: worker.timing,
    onFailure: (error) => worker.log.warn('the session was not saved; trying again', error as Error),
  });
  return {
    grown: () => saver.grown(),
    dispose: () => saver.dispose(),
    async finish(limit = SAVE_TIMEOUT_MS) {
      if (limit > 0) return await saver.finish(limit);
      saver.dispose();
      return [];
    },
    usage(reported) {
      const usage = meter === undefined ? reported : meter.usage(reported);
      return {
        // JSON has no infinite number, which a forged session can sum up to.
        ...(usage !== undefined && { usage: boundedUsage(usage) }),
        ...(!isDeepStrictEqual(usage, reported) && { usage_from: 'session' as const }),
      };
    },
  };
}

/**
 * The outcome of an attempt whose session was refused, before a model answered: another one starts a new session. The CLI
 * refuses a session before it is open; the vendor, what it holds: too much, a wrong shape, another account's items.
 * @param used what the attempt used
 */
export function unlessRefused(
  outcome: Outcome,
  resumed: Pick<RestoredSession, 'isOtherAccount'> | undefined,
  { facts, used }: { readonly facts: AgentFacts; readonly used: Usage | undefined },
): Outcome {
  if (resumed === undefined || outcome.kind !== 'failed') return outcome;
  if (outcome.reason !== 'agent_error' && outcome.reason !== 'exited') return outcome;
  // A CLI that was killed has refused nothing.
  if (outcome.signal !== null) return outcome;
  const wasAnswered = facts.finalMessage !== undefined || (used?.output_tokens ?? 0) > 0;
  // Both CLIs report the session's id before the first model call.
  const refusesContent = facts.refused === 'conversation' || resumed.isOtherAccount;
  if (facts.sessionId !== undefined && !(refusesContent && !wasAnswered)) return outcome;
  const { exit_code, signal } = outcome;
  return { kind: 'handed_back', reason: 'waiting_for_worker', session_refused: true, exit_code, signal };
}
