import { randomBytes } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** More than one write of the database or a small object takes. */
const PROBE_BYTES = 256 * 1024;

/** System error codes of a full disk or an exceeded quota. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The disk is full. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';

  /** @param what names the disk in a sentence, such as `the database` */
  constructor(what: string, cause: unknown) {
    super(`The disk of ${what} is full: make room on it.`, { cause });
  }
}

/** Whether an error, or one of its causes, reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && FULL.has(String(error.code))) || isDiskFull(error.cause);
}

/**
 * Writes a file to a folder's disk and deletes it at once. A missing folder is not an error.
 * @throws DiskFullError; the system's Error if nothing can be written
 */
export async function probeDisk(folder: string, what: string): Promise<void> {
  try {
    const path = join(folder, `.probe-${randomBytes(8).toString('hex')}`);
    const file = await open(path, 'wx', 0o600);
    try {
      // Before the write, so that no file remains if this process is killed.
      await unlink(path);
      // A single write of a disk with little room writes what fits, and is no error.
      await file.writeFile(Buffer.alloc(PROBE_BYTES));
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isDiskFull(error)) throw new DiskFullError(what, error);
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
}
