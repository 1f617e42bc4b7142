import { join } from 'node:path';
import type { Profile } from '../../lib/catalog/profiles.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { AgentSessionStore } from '../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import { AttachmentStore } from '../../lib/jobs/output/attachments/attachment-store.ts';
import { readableReceipt } from '../../lib/jobs/output/readable-receipt.ts';
import { type RestoredSession, restoreSession } from '../agent-sessions/restore-session.ts';
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
}

/** Puts the session and the attachments of an interrupted attempt in place, if this one is to continue it. */
export async function continueSession(
  context: AttemptContext,
  job: Job,
  { agent, profile, cwd, files, ending }: Continuing,
): Promise<{ readonly resumed: RestoredSession | undefined; readonly warnings: readonly string[] }> {
  const { objects, env, output, folders, workerId, account } = context;
  if (job.resume_from === undefined || agent.sessionFolder === undefined || profile.resume === 'never')
    return { resumed: undefined, warnings: [] };
  const sessions = new AgentSessionStore(objects, env.OUTPUT_BUCKET);
  const restored = await restoreSession({
    job,
    sessions,
    isRecorded: async (attempt) => (await readableReceipt(output, job.id, attempt)).receipt !== undefined,
    agent: agent.name,
    vendor: profile.vendor,
    cwd,
    onlyWorker: `${cwd}/`.startsWith(`${folders.workspaces}/`) ? undefined : workerId,
    folder: join(files.agent, agent.sessionFolder),
  });
  if (typeof restored === 'object') {
    const warnings = await restoreAttachments({
      jobId: job.id,
      attempt: restored.attempt,
      store: new AttachmentStore(objects, env.OUTPUT_BUCKET),
      sessions,
      folder: files.attachments,
      account,
      checkEnding() {
        if (ending.reason !== undefined) throw new CancelledBeforeStartError();
      },
    });
    return { resumed: restored, warnings };
  }
  const why = restored ?? (job.session_id === undefined ? undefined : 'it is missing');
  return { resumed: undefined, warnings: why === undefined ? [] : [`session: not continued: ${why}`] };
}
