import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AgentSessionStore } from '../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import type { Attachment, AttachmentStore } from '../../lib/jobs/output/attachments/attachment-store.ts';
import { isDiskFull } from '../../lib/platform/operations/probe-disk.ts';
import { rethrowTransient, SettingsUnreadError } from '../secrets/transient-error.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { giveTree, removeTree } from '../service-accounts/untrusted-files.ts';
import { OWN_FOLDER } from './keep-attachments.ts';

interface AttachmentsToRestore {
  readonly jobId: string;
  /** The attempt whose session is continued. */
  readonly attempt: number;
  readonly store: AttachmentStore;
  readonly sessions: AgentSessionStore;
  /** `$PROMPTQ_ATTACHMENTS` of the agent. A setup command may have written to it, but not to the folder above. */
  readonly folder: string;
  readonly account: ServiceAccount | undefined;
  /** Throws if the attempt is to end. */
  readonly checkEnding: () => void;
}

/**
 * Replaces the attachments folder by the newest that an attempt of the continued session stored.
 * @returns warnings for the job
 * @throws SettingsUnreadError; what `checkEnding` throws; Error if the disk is full
 */
export async function restoreAttachments(request: AttachmentsToRestore): Promise<readonly string[]> {
  const { jobId, store, folder, account } = request;
  const found = await rethrowTransient(() => newestOf(request));
  if (found === undefined) return [];
  const warnings: string[] = [];
  // No other user can reach it before all files are in it, so that no link leads out of it.
  const fresh = `${folder}-restored`;
  await mkdir(fresh, { mode: 0o700 });
  for (const [index, file] of found.attachments.entries()) {
    request.checkEnding();
    if (file.path.startsWith(`${OWN_FOLDER}/`)) continue;
    const content = store.read({ jobId, attempt: found.attempt, index, bytes: file.bytes, sha256: file.sha256 });
    try {
      await rethrowTransient(() => write(join(fresh, sound(file.path)), content));
    } catch (error) {
      if (isDiskFull(error) || error instanceof SettingsUnreadError) throw error;
      warnings.push(`attachments: ${file.path} of attempt ${found.attempt} was not restored`);
    }
  }
  await giveTree(fresh, account);
  await removeTree(folder);
  await rename(fresh, folder);
  return warnings;
}

/** The attachments of the continued attempt or, if its worker was lost, of the attempt that it had continued. */
async function newestOf({
  jobId,
  attempt,
  store,
  sessions,
}: AttachmentsToRestore): Promise<
  { readonly attempt: number; readonly attachments: readonly Attachment[] } | undefined
> {
  for (let at: number | undefined = attempt; at !== undefined; ) {
    const attachments = await store.stored(jobId, at);
    if (attachments !== undefined) return { attempt: at, attachments };
    const earlier: number | undefined = (await sessions.find(jobId, at))?.record.resumed_from;
    at = earlier !== undefined && earlier < at ? earlier : undefined;
  }
  return undefined;
}

/** @throws Error if the path leads out of the folder */
function sound(path: string): string {
  const isSound = path.split('/').every((segment) => !['', '.', '..'].includes(segment) && !segment.includes('\0'));
  if (!isSound) throw new Error('not a path in a folder');
  return path;
}

async function write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await pipeline(Readable.from(content), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
