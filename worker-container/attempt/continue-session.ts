import { join } from 'node:path';
import type { Profile } from '../../lib/catalog/profiles.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { usedByLost } from '../../lib/jobs/lifecycle/resume.ts';
import { type Folders, ownFolder, resolveFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import { folderHost } from '../agent-sessions/folder-host.ts';
import { isUsageRecorded } from '../agent-sessions/is-usage-recorded.ts';
import {
  type AttemptOfJob,
  attemptsBefore,
  chainOf,
  type RestoredSession,
  restoreSession,
} from '../agent-sessions/restore-session.ts';
import type { SessionOrigin } from '../agent-sessions/session-origin.ts';
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
  readonly origin: SessionOrigin;
  readonly cwd: string;
  readonly files: AttemptFiles;
  readonly ending: Ending;
  /** What was said before; undefined: the job begins a conversation. */
  readonly earlier: readonly EarlierTurn[] | undefined;
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
  const { agent, profile, earlier } = about;
  if (agent.sessionFolder === undefined || profile.resume === 'never') return { resumed: undefined, warnings: [] };
  const own = await continueOwn(context, job, { ...about, folder: join(about.files.agent, agent.sessionFolder) });
  // A session that the CLI refused is not tried again.
  if (own.resumed !== undefined || earlier === undefined || job.session_refused === true) return own;
  const restored = await restore(context, job, {
    ...about,
    folder: join(about.files.agent, agent.sessionFolder),
    candidates: attemptsBefore(earlier).slice(0, MAX_SEARCHED),
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

/** How long a job waits for a worker whose CLI is as new as the one that made the session, as while a deployment is updated. */
const NEWER_CLI_WAIT_MS = 600_000;

async function restore(
  { agentSessions, env, output, folders, workerId, clock }: AttemptContext,
  job: Job,
  about: Continuing & { readonly folder: string; readonly candidates: readonly AttemptOfJob[] },
): Promise<RestoredSession | string | undefined> {
  const { agent, profile, origin, cwd, folder, candidates, earlier = [] } = about;
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
  { attachments, agentSessions, account }: AttemptContext,
  job: Job,
  attempt: number,
  { files, ending }: Pick<Continuing, 'files' | 'ending'>,
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
