import { readdir, readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { stallTolerantTimer } from '../../platform/stall-tolerant-timer.ts';
import { RUN_MARK } from './local-env.ts';

/** Milliseconds until killed processes must be gone; they may fork meanwhile, hence several polls. */
const TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 20;
/** During exec a process shows no environment for a moment, so one empty poll is not conclusive. */
const EMPTY_POLLS = 2;

/**
 * Kills every process of this user with a home's mark: the remains of a killed run, or of an incomplete stop. Spares
 * this process, its ancestors, and the given ids. Finds nothing without /proc.
 * @returns the ids of the processes found
 * @throws Error if some remain after 5 s, not counting a stall of the machine
 */
export async function killOrphans(homePath: string, spare: readonly number[] = []): Promise<number[]> {
  const spared = new Set([...(await ancestry()), ...spare]);
  const found = new Set<number>();
  const hasTimeLeft = stallTolerantTimer(TIMEOUT_MS);
  for (let empty = 0; empty < EMPTY_POLLS; await delay(POLL_INTERVAL_MS)) {
    const marked = (await processesMarked(`${RUN_MARK}=${homePath}`)).filter((pid) => !spared.has(pid));
    empty = marked.length === 0 ? empty + 1 : 0;
    if (marked.length > 0 && !hasTimeLeft())
      throw new Error(`processes of an earlier run can't be ended: ${marked.join(', ')}`);
    for (const pid of marked) {
      found.add(pid);
      kill(pid);
    }
  }
  return [...found];
}

async function processesMarked(mark: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const marked = await Promise.all(pids.map(async (pid) => ((await carries(pid, mark)) ? pid : undefined)));
  return marked.filter((pid) => pid !== undefined);
}

/** A process that has exited, or is not readable, carries no mark. */
async function carries(pid: number, mark: string): Promise<boolean> {
  try {
    const { uid } = await stat(`/proc/${pid}`);
    if (uid !== process.getuid?.()) return false;
    return (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').includes(mark);
  } catch {
    return false;
  }
}

/** This process and its ancestors. */
async function ancestry(): Promise<number[]> {
  const line: number[] = [];
  for (let pid = process.pid; pid > 1; pid = await parentOf(pid)) line.push(pid);
  return line;
}

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The command's name, in parentheses, may contain spaces and parentheses.
  const [, parent = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(parent);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited in the meantime.
  }
}
