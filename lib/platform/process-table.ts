import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';

/** A process; its start time distinguishes it from a later one with the same pid. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since the machine's start. */
  readonly startedAt: number;
  /** It has ended, and its parent has not reaped it. */
  readonly zombie: boolean;
}

/** Whether this platform lists processes and their environments. */
export function hasProcessTable(): boolean {
  return existsSync('/proc/self/environ') && existsSync('/proc/self/stat');
}

/** @throws Error on a platform that can't find processes by their environment. */
export function requireProcessTable(): void {
  if (hasProcessTable()) return;
  throw new Error(
    'promptq runs agents on Linux only (WSL2 will do): it finds the processes of an attempt in /proc, which this platform lacks',
  );
}

/** All processes at about this moment. Synchronous, so that little changes between finding and signalling them. */
export function listProcesses(): ProcessEntry[] {
  return listPids().flatMap((pid) => readProcess(pid) ?? []);
}

export function listPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** When processes started that were read, with the inodes of their folders. */
const starts = new Map<number, { readonly inode: number; readonly startedAt: number }>();

/** Entries after which all are forgotten: most are of processes that have ended. */
const MAX_STARTS = 10_000;

/**
 * A process, if it started at this tick or later. An older one is read only once: a folder of /proc keeps its inode
 * only while it belongs to the same process, and to look that up costs a tenth of reading a state.
 */
export function readStartedSince(tick: number, pid: number): ProcessEntry | undefined {
  const inode = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino;
  const known = starts.get(pid);
  if (inode === undefined || (known?.inode === inode && known.startedAt < tick)) return undefined;
  const entry = readProcess(pid);
  if (entry === undefined) return undefined;
  if (starts.size >= MAX_STARTS) starts.clear();
  starts.set(pid, { inode, startedAt: entry.startedAt });
  return entry.startedAt < tick ? undefined : entry;
}

/** The current state of a process; `undefined`: there is none. */
export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readEntry(pid, 'stat')?.toString('latin1');
  if (stat === undefined) return undefined;
  // Fields as in proc_pid_stat(5). The command in brackets may contain brackets: the fields follow the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid,
    parent: field(4),
    group: field(5),
    session: field(6),
    startedAt: field(22),
    // A process whose first thread has ended looks like a zombie while its other threads run.
    zombie: fields[0] === 'X' || (fields[0] === 'Z' && field(20) <= 1),
  };
}

/**
 * The value of a variable in a process's initial environment; `undefined`: it has none, has ended, or belongs to
 * another user.
 */
export function readEnvironmentOf(pid: number, variable: string): string | undefined {
  const environment = readEntry(pid, 'environ');
  if (environment === undefined) return undefined;
  const isFirst = environment.indexOf(`${variable}=`) === 0;
  const at = isFirst ? 0 : environment.indexOf(`\0${variable}=`) + 1;
  if (at === 0 && !isFirst) return undefined;
  const from = at + variable.length + 1;
  const end = environment.indexOf(0, from);
  return environment.toString('utf8', from, end === -1 ? environment.length : end);
}

/** The real user id of a process; `undefined`: it has ended. Any user may read this of any process. */
export function realUidOf(pid: number): number | undefined {
  const status = readEntry(pid, 'status')?.toString('latin1');
  const uid = status === undefined ? undefined : /^Uid:\t(\d+)/m.exec(status)?.[1];
  return uid === undefined ? undefined : Number(uid);
}

/** This process and its ancestors, by their ids. */
export function ancestry(): Map<number, ProcessEntry> {
  const line = new Map<number, ProcessEntry>();
  for (let entry = readProcess(process.pid); entry !== undefined; entry = readProcess(entry.parent))
    line.set(entry.pid, entry);
  return line;
}

/** Every scan reads hundreds of files: one buffer holds each in turn. */
let buffer = Buffer.allocUnsafe(64 * 1024);

/** @returns the content, until the next call; `undefined`: the process has ended, or belongs to another user */
function readEntry(pid: number, file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`/proc/${pid}/${file}`, 'r');
    let length = 0;
    // The kernel may return less than a file has left.
    for (let read = -1; read !== 0; length += read) {
      if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length);
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    }
    return buffer.subarray(0, length);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
