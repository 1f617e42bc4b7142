import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessEntry, StartedProcess } from '../../lib/platform/processes/process-entry.ts';
import { ancestry, processTable } from '../../lib/platform/processes/process-table.ts';

/** The environment variable by which the processes of an attempt are found; its value is unique to the attempt. */
export const ATTEMPT_MARK = 'PROMPTQ_ATTEMPT';

/** Most times that one scan lists the machine's processes. */
const MAX_LISTS = 20;

/** Finds what is left of a tree, and kills it. */
export interface TreeScan {
  /** The tree's live processes, never this process or its ancestors. */
  find(): ProcessEntry[];
  /** Kills what `find` just returned, and what it may have missed. */
  kill(living: readonly ProcessEntry[]): Promise<void>;
}

/**
 * Finds the processes of one tree, scan after scan: those that carry the mark and, since a process can drop its
 * environment and macOS hides that of its own programs, the children of found processes and members of their sessions and groups. It misses only a process that
 * dropped the mark, left its session and lost its parent before the first scan.
 */
export class ProcessScan implements TreeScan {
  readonly #isMarked: (mark: string) => boolean;
  /** Ids of sessions and groups that had a live member in the last scan, so that they can't have been reused since. */
  #groups: Set<number>;
  readonly #root: StartedProcess | undefined;

  /** @param root The tree's first process, a session leader: no process that started before it is of the tree. */
  constructor(isMarked: (mark: string) => boolean, root?: StartedProcess) {
    this.#isMarked = isMarked;
    this.#groups = new Set(root === undefined ? [] : [root.pid]);
    this.#root = root;
  }

  find(): ProcessEntry[] {
    const marks = new Map(listWithMarks(this.#root));
    if (!marks.entries().some(([entry, mark]) => !entry.zombie && this.#isOfTree(entry, mark))) {
      this.#groups = new Set();
      return [];
    }
    const own = ancestry();
    const candidates = [...marks.keys()].filter(({ pid, zombie }) => !zombie && !own.has(pid));
    const foreign = new Set([0, ...[...own.values()].flatMap(({ group, session }) => [group, session])]);

    const found = new Map<number, ProcessEntry>();
    const groups = this.#groups;
    const belongs = (entry: ProcessEntry) =>
      found.has(entry.parent) || groups.has(entry.session) || groups.has(entry.group);
    const add = (entry: ProcessEntry) => {
      found.set(entry.pid, entry);
      for (const id of [entry.group, entry.session]) if (!foreign.has(id)) groups.add(id);
    };

    for (const entry of candidates) {
      const mark = marks.get(entry);
      if (mark !== undefined && this.#isMarked(mark)) add(entry);
    }
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const entry of candidates) if (!found.has(entry.pid) && belongs(entry)) add(entry);
    }
    const living = [...found.values()];
    this.#groups = new Set(living.flatMap(({ group, session }) => [group, session]).filter((id) => !foreign.has(id)));
    return living;
  }

  /** Whether a process is of the tree for itself, not because of its parent. */
  #isOfTree({ group, session }: ProcessEntry, mark: string | undefined): boolean {
    return (mark !== undefined && this.#isMarked(mark)) || this.#groups.has(group) || this.#groups.has(session);
  }

  /**
   * Kills whole groups first: a group can't fork its way out of a signal. Skips processes that have ended meanwhile or
   * may not be signalled.
   */
  async kill(living: readonly ProcessEntry[]): Promise<void> {
    for (const group of new Set(living.map((entry) => entry.group))) {
      if (this.#groups.has(group)) send(-group, 'SIGKILL');
    }
    for (const entry of living) signalProcess(entry, 'SIGKILL');
  }
}

/**
 * The processes that started no earlier than the root of a tree, each with its mark. One list is no snapshot: a process that forks and
 * ends repeatedly has moved on by the time its entry is read. So it rescans until no new process appears.
 */
function* listWithMarks(root: StartedProcess | undefined): Generator<[ProcessEntry, string | undefined]> {
  const table = processTable();
  const known = new Set<number>();
  for (let lists = 0; lists < MAX_LISTS; lists += 1) {
    const news = table.pids(root).filter((pid) => !known.has(pid));
    if (news.length === 0) return;
    for (const pid of news) {
      known.add(pid);
      const entry = table.listedSince(root?.startedAt ?? 0, pid);
      if (entry !== undefined) yield [entry, table.environmentOf(pid, ATTEMPT_MARK)];
    }
  }
}

/** Signals one process, unless its pid has been reused. */
export function signalProcess(entry: ProcessEntry, signal: NodeJS.Signals): void {
  if (processTable().read(entry.pid)?.startedAt === entry.startedAt) send(entry.pid, signal);
}

/** Signals the group of a process, unless the process has ended. */
export function signalGroup(entry: ProcessEntry, signal: NodeJS.Signals): void {
  if (processTable().read(entry.pid)?.startedAt === entry.startedAt) send(-entry.group, signal);
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

const run = promisify(execFile);

/** Folders that only the system's own packages write to; the last one is NixOS's. */
const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';

/**
 * Runs a system tool with the worker's own privileges. It ignores any PATH, and does not pass on the worker's
 * environment, which tells where its credentials are.
 */
export async function runSystemTool(tool: 'mkfifo' | 'rm' | 'find', args: readonly string[]): Promise<void> {
  await run(tool, args, { env: { PATH: SYSTEM_PATH } });
}
