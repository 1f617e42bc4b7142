import { join } from 'node:path';
import type { Profile } from '../../lib/catalog/profiles.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { AgentSessionStore } from '../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import { AttachmentStore } from '../../lib/jobs/output/attachments/attachment-store.ts';
import { readableReceipt } from '../../lib/jobs/output/readable-receipt.ts';
import type { TurnWithJob } from '../../lib/jobs/threads/read-thread.ts';
import {
  type AttemptOfJob,
  attemptsBefore,
  chainOf,
  type RestoredSession,
  restoreSession,
} from '../agent-sessions/restore-session.ts';
import type { Agent } from '../agents/agent.ts';
import { restoreAttachments } from '../attachments/restore-attachments.ts';
import type { Ending } from '../commands/ending.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import type { AttemptContext } from './attempt-context.ts';
import type { AttemptFiles } from './attempt-files.ts';

/** What an attempt's session must have been made with, and where it goes. */
interface Continuing {
  readonly agent: Agent;
  readonly profile: Profile;
  readonly cwd: string;
  readonly files: AttemptFiles;
  readonly ending: Ending;
  /** The turns of its thread; undefined: the job continues none. */
  readonly thread: readonly TurnWithJob[] | undefined;
}

/** The conversation that an attempt continues. */
export interface Continued {
  /** undefined: the agent starts a new session. */
  readonly resumed: RestoredSession | undefined;
  readonly warnings: readonly string[];
}

/**
 * Puts in place what an attempt is to continue: the session and the attachments of an interrupted attempt, else the
 * newest session of the turns before.
 */
export async function continueSession(context: AttemptContext, job: Job, about: Continuing): Promise<Continued> {
  const { agent, profile, thread } = about;
  if (agent.sessionFolder === undefined || profile.resume === 'never') return { resumed: undefined, warnings: [] };
  const own = await continueOwn(context, job, { ...about, folder: join(about.files.agent, agent.sessionFolder) });
  // A session that the CLI refused is not tried again.
  if (own.resumed !== undefined || thread === undefined || job.session_refused === true) return own;
  const restored = await restore(context, job, {
    ...about,
    folder: join(about.files.agent, agent.sessionFolder),
    candidates: attemptsBefore(thread, job.turn ?? 1).slice(0, MAX_SEARCHED),
  });
  if (typeof restored === 'object') return { resumed: restored, warnings: own.warnings };
  const why = `session: of the thread not continued: ${restored ?? 'it is missing'}`;
  return { resumed: undefined, warnings: [...own.warnings, why] };
}

/** Most attempts of earlier turns that are searched for a session. */
const MAX_SEARCHED = 50;

async function continueOwn(
  context: AttemptContext,
  job: Job,
  about: Continuing & { readonly folder: string },
): Promise<Pick<Continued, 'resumed' | 'warnings'>> {
  if (job.resume_from === undefined) return { resumed: undefined, warnings: [] };
  const restored = await restore(context, job, { ...about, candidates: chainOf(job) });
  if (typeof restored === 'object' && restored.attempt !== undefined)
    return { resumed: restored, warnings: await attachmentsOf(context, job, restored.attempt, about) };
  const why = typeof restored === 'string' ? restored : job.session_id === undefined ? undefined : 'it is missing';
  return { resumed: undefined, warnings: why === undefined ? [] : [`session: not continued: ${why}`] };
}

async function restore(
  { objects, env, output, folders, workerId }: AttemptContext,
  job: Job,
  about: Continuing & { readonly folder: string; readonly candidates: readonly AttemptOfJob[] },
): Promise<RestoredSession | string | undefined> {
  const { agent, profile, cwd, folder, candidates } = about;
  return await restoreSession({
    jobId: job.id,
    candidates,
    sessions: new AgentSessionStore(objects, env.OUTPUT_BUCKET),
    isRecorded: async ({ jobId, attempt }) => (await readableReceipt(output, jobId, attempt)).receipt !== undefined,
    agent: agent.name,
    vendor: profile.vendor,
    cwd,
    onlyWorker: `${cwd}/`.startsWith(`${folders.workspaces}/`) ? undefined : workerId,
    folder,
  });
}

async function attachmentsOf(
  { objects, env, account }: AttemptContext,
  job: Job,
  attempt: number,
  { files, ending }: Pick<Continuing, 'files' | 'ending'>,
): Promise<readonly string[]> {
  return await restoreAttachments({
    jobId: job.id,
    attempt,
    store: new AttachmentStore(objects, env.OUTPUT_BUCKET),
    sessions: new AgentSessionStore(objects, env.OUTPUT_BUCKET),
    folder: files.attachments,
    account,
    checkEnding() {
      if (ending.reason !== undefined) throw new CancelledBeforeStartError();
    },
  });
}
