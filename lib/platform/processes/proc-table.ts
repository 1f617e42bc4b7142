import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import type { ProcessEntry, ProcessSource, StartedProcess } from './process-entry.ts';

/** Linux's own list of processes. */
export const PROC_TABLE: ProcessSource = {
  pids: (since) => (since !== undefined && isAbove(since) ? listPids().filter((pid) => pid >= since.pid) : listPids()),
  starts: countStarts,
  listed: readProcess,
  listedSince: readStartedSince,
  read: readProcess,
  environmentOf: readEnvironmentOf,
  mayBeOf,
  realUidOf,
};

function listPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Numbers that the kernel skips, and starts that may be missing from a count. */
const PID_MARGIN = 1_000;

/** What `kernel.pid_max` is at least. */
const LEAST_MAX_PID = 32_768;
let maxPid: number | undefined;

/**
 * Whether every later process has a higher number. Linux gives numbers in their order and begins again after the
 * highest, which can't have happened while fewer processes have started since than there are higher numbers.
 */
function isAbove({ pid, starts: before }: StartedProcess): boolean {
  if (before === undefined) return false;
  const now = countStarts();
  if (now === undefined) return false;
  maxPid ??= Number(readFile('/proc/sys/kernel/pid_max')?.toString('latin1') ?? LEAST_MAX_PID);
  return now - before < maxPid - pid - PID_MARGIN;
}

function countStarts(): number | undefined {
  return startsIn(readFile('/proc/stat')?.toString('latin1') ?? '');
}

/** How many processes have started, by what `/proc/stat` holds. */
function startsIn(text: string): number | undefined {
  const count = /^processes (\d+)$/m.exec(text)?.[1];
  // An emulated kernel may not count.
  return count === undefined || count === '0' ? undefined : Number(count);
}

/** When processes started that were read, with the inodes of their folders. */
const starts = new Map<number, { readonly inode: number; readonly startedAt: number }>();

/** Entries after which all are forgotten: most are of processes that have ended. */
const MAX_STARTS = 10_000;

/**
 * A process, if it started at this tick or later. An older one is read only once: a folder of /proc keeps its inode
 * only while it belongs to the same process, and to look that up costs a tenth of reading a state.
 */
function readStartedSince(tick: number, pid: number): ProcessEntry | undefined {
  const inode = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino;
  const known = starts.get(pid);
  if (inode === undefined || (known?.inode === inode && known.startedAt < tick)) return undefined;
  const entry = readProcess(pid);
  if (entry === undefined) return undefined;
  if (starts.size >= MAX_STARTS) starts.clear();
  starts.set(pid, { inode, startedAt: entry.startedAt });
  return entry.startedAt < tick ? undefined : entry;
}

function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readFile(`/proc/${pid}/stat`)?.toString('latin1');
  return stat === undefined ? undefined : entryIn(stat, pid);
}

/** A process, by what its `stat` holds. */
function entryIn(stat: string, pid: number): ProcessEntry {
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

function readEnvironmentOf(pid: number, variable: string): string | undefined {
  const environment = readFile(`/proc/${pid}/environ`);
  return environment === undefined ? undefined : valueIn(environment, variable);
}

/** The value of a variable, by what `environ` of a process holds. */
function valueIn(environment: Buffer, variable: string): string | undefined {
  const isFirst = environment.indexOf(`${variable}=`) === 0;
  const at = isFirst ? 0 : environment.indexOf(`\0${variable}=`) + 1;
  if (at === 0 && !isFirst) return undefined;
  const from = at + variable.length + 1;
  const end = environment.indexOf(0, from);
  return environment.toString('utf8', from, end === -1 ? environment.length : end);
}

/** The folder of a process belongs to its effective user, whatever that may read in it. */
function mayBeOf(uid: number, pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid;
}

function realUidOf(pid: number): number | undefined {
  const status = readFile(`/proc/${pid}/status`)?.toString('latin1');
  const uid = status === undefined ? undefined : /^Uid:\t(\d+)/m.exec(status)?.[1];
  return uid === undefined ? undefined : Number(uid);
}

/** Every scan reads hundreds of files: one buffer holds each in turn. */
let buffer = Buffer.allocUnsafe(64 * 1024);

/** @returns the content, until the next call; `undefined`: the process has ended, or belongs to another user */
function readFile(path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
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
