import { readdir, readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { stallTolerantTimer } from '../../platform/stall-tolerant-timer.ts';
import { RUN_MARK } from './local-env.ts';

/** Milliseconds in which killed processes must have gone; they may fork meanwhile, hence several looks. */
const TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 20;
/** A process that is just replacing itself (exec) shows no environment for a moment, so one look that finds none says little. */
const EMPTY_POLLS = 2;

/**
 * Kills every process of this user that carries a home's mark: what a run of that home which was killed has left, or
 * what a stop has not reached. Never this process, those that it descends from, and those to be spared.
 * Where there is no /proc it finds nothing.
 * @returns the ids of the processes found
 * @throws Error if some are still there after 5 s, not counting a standstill of the machine
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

/** A process that has ended meanwhile, or may not be looked into, carries no mark. */
async function carries(pid: number, mark: string): Promise<boolean> {
  try {
    const { uid } = await stat(`/proc/${pid}`);
    if (uid !== process.getuid?.()) return false;
    return (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').includes(mark);
  } catch {
    return false;
  }
}

/** This process and those that it descends from. */
async function ancestry(): Promise<number[]> {
  const line: number[] = [];
  for (let pid = process.pid; pid > 1; pid = await parentOf(pid)) line.push(pid);
  return line;
}

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The command's name, in parentheses, may itself hold spaces and parentheses.
  const [, parent = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(parent);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
