import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { removeTree } from '../service-accounts/untrusted-files.ts';

/**
 * Creates the folder for temporary files of what runs as this user in an attempt. It lies in the system's folder for
 * them, because the path of a socket has at most about 100 bytes, and has the same path in all turns of a thread.
 */
export function makeTemporary(attemptDir: string): string {
  const base = baseOf(dirname(attemptDir));
  mkdirSync(base, { recursive: true, mode: 0o700 });
  // Another user can have made it.
  const folder = isOwn(base) ? join(base, shortHash(basename(attemptDir))) : join(attemptDir, 'temp');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export async function removeTemporary(attemptDir: string): Promise<void> {
  const base = baseOf(dirname(attemptDir));
  if (!isOwn(base)) return;
  const folder = join(base, shortHash(basename(attemptDir)));
  try {
    // Usually it is empty, and starting a process takes milliseconds.
    rmdirSync(folder);
  } catch {
    await removeTree(folder);
  }
}

/** Removes those of all attempts that had their folders in `attempts`. */
export async function removeAllTemporary(attempts: string): Promise<void> {
  if (isOwn(baseOf(attempts))) await removeTree(baseOf(attempts));
}

function baseOf(attempts: string): string {
  return join(tmpdir(), `promptq-${shortHash(attempts)}`);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** Whether it is a folder, and no link, that only this user can change. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}
