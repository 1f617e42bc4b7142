import { readFile } from 'node:fs/promises';

/** With fewer open files the service can't serve as many clients at once as people try. */
const ENOUGH = 1_024;
/** What a local run has open by itself, with room to spare. */
const OWN = 96;
/** What a client's connection takes: its own, and both ends of one to an emulator in the same process. */
const PER_CONNECTION = 3;

/** How many files (connections count) a process may have open at once; undefined where the system doesn't say. */
export async function openFilesLimit(pid: number | 'self'): Promise<number | undefined> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** What is wrong with a limit, and what to do; undefined if it is high enough. */
export function tooFewFiles(limit: number | undefined): { message: string; advice: string } | undefined {
  if (limit === undefined || limit >= ENOUGH) return undefined;
  return {
    message: `the service can open ${limit} files at once, which is too few for many clients`,
    advice: 'Start it in a shell in which `ulimit -n 4096` was run.',
  };
}

/** How many clients may be connected at once, so that files and connections are left for what they ask for. */
export function mostConnections(limit: number | undefined): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(8, Math.floor((limit - OWN) / PER_CONNECTION));
}
