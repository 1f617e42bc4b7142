import type { Hash } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';

/** A file can't be read, or was replaced after it was found: its job let others write there. A retry finds the same. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** Codes of failures of this process, not of a file. */
const PASSING: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** Waits for a step of reading a file. @throws UnreadableFileError */
async function reading<T>(step: Promise<T>): Promise<T> {
  return await step.catch((error: NodeJS.ErrnoException) => {
    throw PASSING.includes(error.code) ? error : new UnreadableFileError(error.message);
  });
}

/**
 * Opens a file that was found in a folder in which others may have changed it since.
 * @param owner user id that it has to belong to; undefined: any
 * @throws UnreadableFileError
 */
export async function openFound(path: string, owner: number | undefined): Promise<FileHandle> {
  // Don't follow a link, and don't wait on a FIFO, that has replaced the file since. A link in place of a folder is
  // followed, so its target must belong to the owner too.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await reading(open(path, flags));
  try {
    const found = await reading(file.stat());
    if (found.isFile() && found.uid === (owner ?? found.uid)) return file;
    throw new UnreadableFileError(`${path} has changed`);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Exactly `bytes` bytes of a file, hashed as they are read. @throws UnreadableFileError */
export async function* pieces(file: FileHandle, bytes: number, hash: Hash): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(256 * 1024, bytes - at));
    const { bytesRead } = await reading(file.read(buffer, 0, buffer.length, at));
    if (bytesRead === 0) throw new UnreadableFileError('it has become shorter');
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    at += bytesRead;
    yield piece;
  }
}
