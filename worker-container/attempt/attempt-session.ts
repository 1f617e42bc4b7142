import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
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
}

const NONE: AttemptSession = { grown() {}, finish: async () => [], dispose() {} };

/** @param sessionId the id of the session, once the CLI has reported it */
export function saveSession(
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  { agent, profile, cwd }: Pick<PreparedAttempt, 'agent' | 'profile' | 'cwd'>,
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
  const saver = new SessionSaver({
    jobId: job.id,
    attempt: job.attempt,
    folder: join(files.agent, agent.sessionFolder),
    sessionId,
    about: { agent: agent.name, vendor: profile.vendor, cwd, worker_id: context.workerId },
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
  };
}
