import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';

/** Bytes after which a run begins a new file of a log. */
export const LOG_BYTES = 10 * 1024 * 1024;

/** Earlier files that are kept beside a log: `.1` is the newest. */
const KEPT = 3;

/** Moves a log to `.1`, and each earlier file to the next number. An empty one stays, so that it replaces none. */
export function rotateLog(path: string): void {
  if (sizeOf(path) === 0) return;
  shiftEarlier(path);
  move(path, `${path}.1`);
}

/**
 * Copies a log to `.1` and empties it once it is longer than so many bytes, for a log to which another process appends.
 * What is written between these two steps is lost. If the log can't be copied, as on a full disk, all files stay.
 */
export function emptyLog(path: string, maxBytes: number): void {
  const copy = `${path}.new`;
  try {
    if (sizeOf(path) <= maxBytes) return;
    copyFileSync(path, copy);
    shiftEarlier(path);
    renameSync(copy, `${path}.1`);
    truncateSync(path);
  } catch {
    rmSync(copy, { force: true });
  }
}

function shiftEarlier(path: string): void {
  for (let number = KEPT; number > 1; number -= 1) move(`${path}.${number - 1}`, `${path}.${number}`);
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // There are fewer earlier files.
  }
}

/** 0 without the file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
