/** A home, or a file in it, that prevents a start; the message names it and says what to do. */
export class HomeError extends Error {
  override readonly name = 'HomeError';
}

/** The advice when a file of the home can't be restored. */
export const BEGIN_EMPTY = 'to begin with no jobs, move the home away or set PROMPTQ_HOME to another folder';

/** System error codes of an unusable file. */
const FILE_FAULTS = new Set(['EACCES', 'EDQUOT', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']);

/** @returns a sentence about a failed file access; undefined for every other error */
export function fileFault(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return undefined;
  if (!FILE_FAULTS.has(String(error.code))) return undefined;
  return `${error.message}. This user must be able to write every file of the home; PROMPTQ_HOME names another home`;
}
