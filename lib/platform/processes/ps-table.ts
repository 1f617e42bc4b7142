import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import type { ProcessEntry, ProcessSource } from './process-entry.ts';

/** What `ps` printed about a process. */
interface PsRow extends ProcessEntry {
  readonly uid: number;
  /** The command, its arguments and, where the platform shows it, its environment, separated by spaces. */
  readonly text: string;
}

/** The processes as of the last list, and when that was taken (ms). */
let rows = new Map<number, PsRow>();
let listedAt = Number.NEGATIVE_INFINITY;

/** Milliseconds for which a list is current: an id is given again only after all the others. */
const CURRENT_FOR = 100;

/** The list of processes that `ps` prints, for platforms without /proc. */
export const PS_TABLE: ProcessSource = {
  pids: () => {
    rows = new Map(runPs(['-A']).map((row) => [row.pid, row]));
    listedAt = performance.now();
    return [...rows.keys()];
  },
  starts: () => undefined,
  listed: (pid) => rows.get(pid),
  listedSince: (startedAt, pid) => {
    const row = rows.get(pid);
    return row === undefined || row.startedAt < startedAt ? undefined : row;
  },
  read: (pid) => {
    const listed = performance.now() - listedAt < CURRENT_FOR ? rows.get(pid) : undefined;
    return listed ?? runPs(['-p', String(pid)]).find((row) => row.pid === pid);
  },
  environmentOf: (pid, variable) => valueIn(rows.get(pid)?.text ?? '', variable),
  mayBeOf: (uid, pid) => rows.get(pid)?.uid === uid,
  realUidOf: (pid) => rows.get(pid)?.uid,
};

/** The same on macOS and on Linux (procps). A full path: a caller may have set PATH. */
export const PS = '/bin/ps';
const COLUMNS = 'pid=,ppid=,pgid=,sess=,ruid=,stat=,lstart=,command=';
/** Shows environments, to their owner: an option on macOS, a word in procps. */
const ENVIRONMENT = process.platform === 'linux' ? ['e'] : ['-E'];
/** Bytes. An environment may have hundreds of KiB. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Fields as `COLUMNS` names them; macOS prints an address, or 0, as the session. */
const ROW = /^ *(\d+) +(\d+) +(\d+) +(\S+) +(\d+) +(\S+) +(\w{3} +\w{3} +\d+ [\d:]{8} \d{4}) ?(.*)$/;

/**
 * @returns without `ps` itself
 * @throws Error if it can't be run
 */
function runPs(selection: readonly string[]): PsRow[] {
  // Its environment has no mark, so that it is never taken for a process that is looked for.
  const options = { env: { LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: MAX_OUTPUT, encoding: 'latin1' } as const;
  return rowsOf(spawnSync(PS, [...selection, '-ww', '-o', COLUMNS, ...ENVIRONMENT], options));
}

/** The processes that `ps` printed. */
export function rowsOf(ps: Pick<SpawnSyncReturns<string>, 'error' | 'pid' | 'status' | 'stdout' | 'stderr'>): PsRow[] {
  // No process with a given id: exit code 1 and no line.
  if (ps.error !== undefined || (ps.status !== 0 && ps.stderr !== ''))
    throw new Error(`${PS} can't list processes: ${ps.error?.message ?? ps.stderr.trim()}`);
  return ps.stdout.split('\n').flatMap((line) => {
    const row = parseRow(line);
    return row === undefined || row.pid === ps.pid ? [] : [row];
  });
}

function parseRow(line: string): PsRow | undefined {
  const [, pid, parent, group, session = '', uid, state = '', started, text = ''] = ROW.exec(line) ?? [];
  if (pid === undefined) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: /^\d+$/.test(session) ? Number(session) : 0,
    startedAt: Date.parse(`${started} UTC`) / 1_000,
    zombie: /^[ZX]/.test(state),
    uid: Number(uid),
    text,
  };
}

/** A value ends where the next variable begins: `ps` prints no other mark between them. */
function valueIn(text: string, variable: string): string | undefined {
  const at = ` ${text}`.indexOf(` ${variable}=`);
  if (at === -1) return undefined;
  const value = text.slice(at + variable.length + 1).split(/ (?=[A-Za-z_][A-Za-z0-9_]*=)/, 1)[0] ?? '';
  // Read byte by byte, since other processes may hold anything.
  return Buffer.from(value.trimEnd(), 'latin1').toString();
}
