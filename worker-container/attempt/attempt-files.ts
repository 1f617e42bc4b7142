import { readdirSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { AGENT_FOLDER } from '../agents/agent.ts';
import { type KeptAttachments, keepAttachments, OWN_FOLDER } from '../attachments/keep-attachments.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { removeTree } from '../service-accounts/untrusted-files.ts';
import { makeFolder, makePersonal } from '../workspace/personal-files.ts';
import type { AttemptContext, AttemptRecord } from './attempt-context.ts';
import { attemptFolder } from './attempt-folder.ts';

/** The files of one attempt, below its folder. */
export interface AttemptFiles {
  /** `$PROMPTQ_ATTACHMENTS` of the agent. */
  readonly attachments: string;
  /** The worker's additions, out of the agent's reach until it has ended. */
  readonly own: string;
  /** The CLI's configuration and scripts. The worker writes them, then gives the folder to the agent. */
  readonly agent: string;
  /** Variables for temporary files, settings and the like, all on this machine's disk. */
  readonly personal: Readonly<Record<string, string>>;
}

export function makeAttemptFiles(
  attemptDir: string,
  context: Parameters<typeof makePersonal>[1],
  job: Job,
): AttemptFiles {
  return {
    attachments: makeFolder(join(attemptDir, 'attachments'), context.account),
    own: makeFolder(join(attemptDir, 'own')),
    agent: makeFolder(join(attemptDir, AGENT_FOLDER)),
    personal: makePersonal(attemptDir, context, job),
  };
}

/** What `makePersonal` creates, for commands that run outside attempts. */
export async function openPersonal(
  context: Parameters<typeof makePersonal>[1],
  job: Job,
  name: string,
): Promise<{ readonly environment: Readonly<Record<string, string>>; close(): Promise<void> }> {
  const isPassable = context.account !== undefined;
  const folder = await attemptFolder.make(join(context.env.PROMPTQ_WORK_DIR, 'attempts', name), { isPassable });
  return { environment: makePersonal(folder, context, job), close: () => attemptFolder.remove(folder) };
}

/**
 * Uploads what the agent left in its attachments folder, and what the worker adds. A failure becomes a warning and does
 * not change the outcome.
 * @param signal aborts when it takes too long.
 */
export async function keepAttemptFiles(
  { objects, attachments, env, log, account }: AttemptContext & { readonly log: Logger },
  job: Job,
  {
    files,
    redaction,
    signal,
    isContinued = false,
  }: {
    readonly files: AttemptFiles;
    readonly redaction: Redaction;
    readonly signal: AbortSignal;
    readonly isContinued?: boolean;
  },
): Promise<KeptAttachments> {
  try {
    if (account !== undefined) await takeBack(files.attachments);
    await addOwn(files);
    return await keepAttachments({
      s3: objects,
      bucket: env.OUTPUT_BUCKET,
      index: attachments,
      jobId: job.id,
      attempt: job.attempt,
      folder: files.attachments,
      owner: account?.uid,
      isContinued,
      redaction,
      signal,
      onFailure: (error) => log.warn('storing attachments failed; trying again', error as Error),
    });
  } catch (error) {
    log.error('attachments were not stored', error as Error);
    return { attachments: [], warnings: ['attachments: not kept: they could not be read, or stored in time'] };
  }
}

/** Closes a folder that its job may have opened to other slots' jobs, so that none can plant a link in it. */
async function takeBack(folder: string): Promise<void> {
  // In this order: only the owner can change the mode without a further capability.
  await chown(folder, process.geteuid?.() ?? 0, process.getegid?.() ?? 0);
  await chmod(folder, 0o700);
}

async function addOwn({ attachments, own }: AttemptFiles): Promise<void> {
  const names = readdirSync(own);
  const target = join(attachments, OWN_FOLDER);
  // Whatever the agent put in its place, even a link.
  await removeTree(target);
  if (names.length === 0) return;
  await mkdir(target);
  for (const name of names) await copyFile(join(own, name), join(target, name));
}

/** The members of a receipt that describe the stored files. */
export function recordOf({ attachments, warnings }: KeptAttachments): Pick<AttemptRecord, 'attachments' | 'warnings'> {
  const bytes = attachments.reduce((sum, file) => sum + file.bytes, 0);
  return {
    ...(attachments.length > 0 && { attachments: { count: attachments.length, bytes } }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}
