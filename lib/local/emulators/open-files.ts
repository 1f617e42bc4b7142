import { readFile } from 'node:fs/promises';

/** With fewer open files the service can't serve a normal number of clients. */
const MIN_FILES = 1_024;
/** Files that a local run opens before any client connects, with room to spare. */
const OWN_FILES = 96;
/** Files per client: its connection, and both ends of one to an emulator in the same process. */
const FILES_PER_CONNECTION = 3;

/** The limit of open files (connections included) of a process; undefined where the system doesn't report it. */
export async function openFilesLimit(pid: number | 'self'): Promise<number | undefined> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** The problem with a limit, and the advice; undefined if it is high enough. */
export function tooFewFiles(limit: number | undefined): { message: string; advice: string } | undefined {
  if (limit === undefined || limit >= MIN_FILES) return undefined;
  return {
    message: `the service can open ${limit} files at once, which is too few for many clients`,
    advice: 'Start it in a shell in which `ulimit -n 4096` was run.',
  };
}

/** The maximum number of connected clients that leaves enough files for their requests. */
export function mostConnections(limit: number | undefined): number {
  return limit === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(8, Math.floor((limit - OWN_FILES) / FILES_PER_CONNECTION));
}
