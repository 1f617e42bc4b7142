import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEntry, StartedProcess } from '../../lib/platform/processes/process-entry.ts';
import { listProcesses, processTable, requireProcessTable } from '../../lib/platform/processes/process-table.ts';
import { stallTolerantTimer } from '../../lib/platform/stall-tolerant-timer.ts';
import { ATTEMPT_MARK, ProcessScan, signalGroup, signalProcess, type TreeScan } from '../processes/process-scan.ts';
import { AccountScan } from '../service-accounts/account-scan.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { startUnder } from '../service-accounts/start-under-account.ts';
import { openAgentPipes } from './agent-pipes.ts';

export interface TreeCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment, except for the mark. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Written to stdin, then EOF; undefined: stdin stays open for `Tree.stdin`. */
  readonly stdin: string | undefined;
  /** Unique to the attempt. Every process of the tree inherits it. */
  readonly mark: string;
  /** The account reserved for the tree while it runs. Undefined: this process's user. */
  readonly account: ServiceAccount | undefined;
}

/** How the first process of a tree ended; one of the two is null. */
export interface TreeExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The first process of a process tree. */
export interface Tree extends StartedProcess {
  readonly account: ServiceAccount | undefined;
  /** Ends with an error when the process has closed it. Undefined: it is a file. */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the first process has ended. Others of the tree may live on and hold the pipes open. */
  readonly exited: Promise<TreeExit>;
}

/**
 * Starts a process in a new session.
 * @throws Error if it can't be started, or if the platform provides no way to find its processes.
 */
export async function spawnTree({ command, args, env, cwd, stdin, mark, account }: TreeCommand): Promise<Tree> {
  requireProcessTable();
  const pipes = await openAgentPipes(stdin);
  try {
    const { child, started } = startUnder(account, command, args, {
      cwd,
      env: { ...env, [ATTEMPT_MARK]: mark },
      detached: true,
      stdio: [...pipes.stdio],
    });
    const exited = new Promise<TreeExit>((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    // Until this process returns to its event loop, even a process that has ended is listed.
    const startedAt = child.pid === undefined ? undefined : processTable().read(child.pid)?.startedAt;
    const starts = processTable().starts();
    await started;
    if (child.pid === undefined) throw new Error('it has no process number');
    return {
      pid: child.pid,
      startedAt,
      starts,
      account,
      stdin: pipes.input,
      stdout: pipes.stdout,
      stderr: pipes.stderr,
      exited,
    };
  } catch (cause) {
    pipes.input?.destroy();
    pipes.stdout.destroy();
    pipes.stderr.destroy();
    throw new Error(`can't start ${command} in ${cwd}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  } finally {
    pipes.handOver();
  }
}

interface TreeEnding {
  readonly child: Pick<Tree, 'pid' | 'startedAt' | 'starts' | 'account'>;
  readonly mark: string;
  /** Asks the agent to end itself and its tools. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** Milliseconds from the polite signal to SIGKILL. Default 10,000. */
  readonly graceMs?: number;
  /** Start with SIGKILL. */
  readonly kill?: boolean;
  /** Milliseconds of SIGKILL until the rest counts as surviving. Default: a minute. */
  readonly killTimeoutMs?: number | undefined;
}

/** What is done about processes that survive SIGKILL. */
export interface SurvivorRule {
  /** Called when there are any. Default: nothing is done. */
  readonly onSurvivors?: (() => void) | undefined;
  /** Milliseconds of SIGKILL until processes count as surviving. Default: a minute. */
  readonly killTimeoutMs?: number | undefined;
}

/** Processes survive SIGKILL: they run as another user, or hang in a call of the system. */
class SurvivingProcessesError extends Error {
  override readonly name = 'SurvivingProcessesError';
  readonly pids: readonly number[];

  constructor(pids: readonly number[]) {
    super(`processes survive SIGKILL: ${pids.join(', ')}`);
    this.pids = pids;
  }
}

/** The processes that survive while a tree is ended; none, as a rule. */
export async function survivorsOf(ended: Promise<unknown>): Promise<readonly number[]> {
  return await ended.then(
    () => [],
    (error: unknown) => {
      if (error instanceof SurvivingProcessesError) return error.pids;
      throw error;
    },
  );
}

/** Tells the author of a job about processes that survive. */
export function survivorsText(pids: readonly number[]): string {
  return `not ended, even by SIGKILL: ${pids.join(', ')}. They may still run, perhaps as another user.`;
}

/**
 * Ends every remaining process of a tree, and returns when none is alive. The polite signal goes only to the agent's
 * own group, because an agent ends its own tools. Processes that outlive the agent get SIGTERM.
 * @returns How many processes had to be killed.
 * @throws SurvivingProcessesError
 */
export async function endTree({
  child,
  mark,
  politeSignal,
  graceMs = 10_000,
  kill = false,
  killTimeoutMs,
}: TreeEnding): Promise<number> {
  const { account, pid } = child;
  const scan = account === undefined ? new ProcessScan((value) => value === mark, child) : new AccountScan(account);
  if (!kill) await endPolitely(scan, pid, politeSignal, graceMs);
  return killAll(scan, killTimeoutMs);
}

/**
 * Kills every process whose mark begins with a prefix: what an earlier worker of the same home left running.
 * @returns How many there were.
 */
export async function endMarkedLike(prefix: string): Promise<number> {
  requireProcessTable();
  if (prefix === '') throw new RangeError('an empty prefix would end every attempt on this machine');
  return killAll(new ProcessScan((mark) => mark.startsWith(prefix)));
}

/** Kills every process of an account. @returns How many there were. */
export async function endAccount(account: ServiceAccount): Promise<number> {
  requireProcessTable();
  return killAll(new AccountScan(account));
}

/** The live processes with exactly this mark. */
export function findMarked(mark: string): ProcessEntry[] {
  const { environmentOf } = processTable();
  return listProcesses().filter((entry) => !entry.zombie && environmentOf(entry.pid, ATTEMPT_MARK) === mark);
}

/** Milliseconds. */
const KILL_TIMEOUT_MS = 60_000;
const PAUSE = { first: 2, longest: 200 };
/** One scan is no snapshot: a process may fork and end while the list is read. */
const EMPTY_SCANS = 2;

async function endPolitely(scan: TreeScan, root: number, politeSignal: NodeJS.Signals, graceMs: number): Promise<void> {
  const hasTimeLeft = stallTolerantTimer(graceMs);
  const asked = new Set<string>();
  await untilGone(scan, async (living) => {
    const agent = living.find(({ pid }) => pid === root);
    const next = agent === undefined ? orphans(living) : [agent];
    for (const entry of next.filter((candidate) => !asked.has(identity(candidate)))) {
      asked.add(identity(entry));
      if (entry === agent) signalGroup(entry, politeSignal);
      else signalProcess(entry, 'SIGTERM');
    }
    return hasTimeLeft();
  });
}

/** Processes without a living parent in the tree. Children of an asked process may be its way of shutting down. */
function orphans(living: readonly ProcessEntry[]): ProcessEntry[] {
  const pids = new Set(living.map(({ pid }) => pid));
  return living.filter(({ parent }) => !pids.has(parent));
}

async function killAll(scan: TreeScan, timeoutMs = KILL_TIMEOUT_MS): Promise<number> {
  const hasTimeLeft = stallTolerantTimer(timeoutMs);
  const killed = new Set<string>();
  await untilGone(scan, async (living) => {
    if (!hasTimeLeft()) throw new SurvivingProcessesError(living.map(({ pid }) => pid));
    await scan.kill(living);
    for (const entry of living) killed.add(identity(entry));
    return true;
  });
  return killed.size;
}

/** Scans until nothing is left or `visit` returns false. `visit` gets what is alive, the first time in any case. */
async function untilGone(scan: TreeScan, visit: (living: readonly ProcessEntry[]) => Promise<boolean>): Promise<void> {
  let pause = PAUSE.first;
  for (let round = 1, empty = 0; empty < EMPTY_SCANS; round += 1) {
    const living = scan.find();
    empty = living.length === 0 ? empty + 1 : 0;
    if ((living.length > 0 || round === 1) && !(await visit(living))) return;
    await sleep(pause);
    pause = empty > 0 ? PAUSE.first : Math.min(pause * 2, PAUSE.longest);
  }
}

function identity({ pid, startedAt }: ProcessEntry): string {
  return `${pid}@${startedAt}`;
}
