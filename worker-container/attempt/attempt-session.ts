import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@aws-lambda-powertools/logger';
import { boundedUsage, type Usage } from '../../lib/contract/usage.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { Outcome, Receipt } from '../../lib/jobs/receipts/receipt.ts';
import type { AgentFacts } from '../../lib/vendors/output/agent-output.ts';
import { folderHost } from '../agent-sessions/folder-host.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { SessionSaver } from '../agent-sessions/session-saver.ts';
import { s3OutputObjects } from '../output/output-objects.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { AttemptContext } from './attempt-context.ts';
import type { AttemptFiles } from './attempt-files.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';

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
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  { agent, profile, cwd, resumed, origin }: Pick<PreparedAttempt, 'agent' | 'profile' | 'cwd' | 'resumed' | 'origin'>,
  {
    files,
    redaction,
    sessionId,
  }: {
    readonly files: AttemptFiles;
    readonly redaction: Redaction;
    readonly sessionId: () => string | undefined;
  },
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
      worker_id: folderHost(context),
      billed_bytes,
      ...(resumed?.attempt !== undefined && { resumed_from: resumed.attempt, chain: [...resumed.chain] }),
    },
    meter,
    restoredBytes: resumed?.bytes ?? 0,
    account: context.account,
    objects: s3OutputObjects(context.objects, context.env.OUTPUT_BUCKET),
    redaction,
    timing: context.timing,
    onFailure: (error) => context.log.warn('the session was not saved; trying again', error as Error),
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
