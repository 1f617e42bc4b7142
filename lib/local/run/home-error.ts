/** A home, or a file in it, that no run can start with; the message names it and says what to do. */
export class HomeError extends Error {
  override readonly name = 'HomeError';
}

/** What the operator can do when a file of the home can't be restored. */
export const BEGIN_EMPTY = 'to begin with no jobs, move the home away or set PROMPTQ_HOME to another folder';

/** Codes of the system that say that a file can't be used. */
const FILE_FAULTS = new Set(['EACCES', 'EDQUOT', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']);

/** @returns a sentence about a failed access to a file; undefined for every other error */
export function fileFault(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return undefined;
  if (!FILE_FAULTS.has(String(error.code))) return undefined;
  return `${error.message}. This user must be able to write every file of the home; PROMPTQ_HOME names another home`;
}
