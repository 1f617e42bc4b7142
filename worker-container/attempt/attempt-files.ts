import { randomUUID } from 'node:crypto';
import { chmodSync, type Dirent, mkdirSync, opendirSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { AGENT_FOLDER } from '../agents/agent.ts';
import { type KeptAttachments, keepAttachments, OWN_FOLDER } from '../attachments/keep-attachments.ts';
import { keepFiles } from '../files/keep-files.ts';
import { removeTree } from '../service-accounts/untrusted-files.ts';
import { makeFolder, makePersonal, removeTemporary } from '../workspace/personal-files.ts';

import type { AgentAttempt, AttemptContext, AttemptFiles, AttemptRecord, OpenPersonal } from './attempt.ts';
import type { PreparedAgent } from './prepare-agent.ts';

/**
 * The folder of an attempt on this machine's disk. Only the worker can list it. Synchronous, since a job has about 30 of
 * these calls: each takes microseconds, and to pass it to another thread takes ten times as long.
 */
export const attemptFolder: NonNullable<AttemptContext['machine']>['folder'] = {
  async make(wanted, { isPassable }) {
    for (const earlier of left) await attemptFolder.remove(earlier).catch(() => undefined);
    const path = inUse.has(wanted) ? `${wanted}-${randomUUID()}` : wanted;
    inUse.add(path);
    try {
      await removeTree(path);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      if (isPassable) for (const folder of [dirname(path), path]) chmodSync(folder, 0o711);
      return path;
    } catch (error) {
      inUse.delete(path);
      throw error;
    }
  },
  async remove(path) {
    // The attempt's own job may have opened it to jobs of other slots, which may still write there.
    left.delete(path);
    try {
      if (!removeShallow(path)) await removeTree(path);
      await removeTemporary(path);
    } catch (error) {
      left.add(path);
      throw error;
    }
    inUse.delete(path);
  },
};

/** Folders that this worker has made and not removed. */
const inUse = new Set<string>();
/** Those that could not be removed. Each further attempt tries again. */
const left = new Set<string>();

/** Most entries of one folder that are removed one by one. */
const FEW = 20;

/**
 * Removes a folder of the worker's with folders of few files, as a short job leaves it, without starting a process. Only
 * the worker can replace what is in the folder itself, and neither unlink nor rmdir follows a link in its last place.
 * @returns whether nothing is left; false: it has more in it
 */
function removeShallow(path: string): boolean {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const at = join(path, entry.name);
      if (!entry.isDirectory()) {
        unlinkSync(at);
        continue;
      }
      const below = fewIn(at);
      if (below === undefined) return false;
      for (const one of below) (one.isDirectory() ? rmdirSync : unlinkSync)(join(at, one.name));
      rmdirSync(at);
    }
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The entries of a folder that a job could fill: reading millions of names would stop all jobs. undefined: not few */
function fewIn(path: string): Dirent[] | undefined {
  const folder = opendirSync(path);
  try {
    const found: Dirent[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (found.length === FEW) return undefined;
      found.push(entry);
    }
    return found;
  } finally {
    folder.closeSync();
  }
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
): Promise<OpenPersonal> {
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
  { worker, job, files, redaction }: Pick<AgentAttempt, 'worker' | 'job' | 'files' | 'redaction'>,
  signal: AbortSignal,
  { isContinued = false } = {},
): Promise<KeptAttachments> {
  const { objects, attachments, env, log, account } = worker;
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

/**
 * Keeps a copy of the files that the attempt left in its job's folder.
 * @param place.changed the files of a worktree that the job changed; undefined: they are not known
 * @returns a warning if that failed, which does not change the outcome
 */
export async function keepFolder(
  { worker, job, redaction }: Pick<AgentAttempt, 'worker' | 'job' | 'redaction'>,
  { cwd, worktree, openedAt }: Pick<PreparedAgent, 'cwd' | 'worktree' | 'openedAt'>,
  { changed, signal }: { readonly changed: readonly string[] | undefined; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { objects, env, log, account } = worker;
  if (worktree !== undefined && changed === undefined) return [];
  const selection = worktree !== undefined ? 'worktree' : job.cwd === undefined ? 'folder' : 'changed';
  try {
    await keepFiles({
      ...{ s3: objects, bucket: env.OUTPUT_BUCKET, jobId: job.id, attempt: job.attempt, folder: cwd },
      ...{ account, redaction, selection, signal },
      ...(worktree !== undefined && changed !== undefined && { paths: changed }),
      // Other jobs and people have files there too.
      ...(selection === 'changed' && { since: openedAt / 1000 }),
      onFailure: (error) => log.warn('keeping files failed; trying again', error as Error),
    });
    return [];
  } catch (error) {
    log.error('the files of the folder were not kept', error as Error);
    return ["files: not kept: the job's folder could not be read, or its files stored in time"];
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
