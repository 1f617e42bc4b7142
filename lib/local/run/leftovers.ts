import { setTimeout as delay } from 'node:timers/promises';
import { ancestry, processTable } from '../../platform/processes/process-table.ts';
import { stallTolerantTimer } from '../../platform/stall-tolerant-timer.ts';
import { RUN_MARK } from './local-env.ts';

/** Milliseconds until killed processes must be gone; they may fork meanwhile, hence several polls. */
const TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 20;
/** During exec a process shows no environment for a moment, so one empty poll is not conclusive. */
const EMPTY_POLLS = 2;

/**
 * Kills every process of this user with a home's mark: the remains of a killed run, or of an incomplete stop. Spares
 * this process, its ancestors, and the given ids.
 * @returns the ids of the processes found
 * @throws Error if some remain after 5 s, not counting a stall of the machine
 */
export async function killOrphans(homePath: string, spare: readonly number[] = []): Promise<number[]> {
  const found = new Set<number>();
  const hasTimeLeft = stallTolerantTimer(TIMEOUT_MS);
  for (let empty = 0; empty < EMPTY_POLLS; await delay(POLL_INTERVAL_MS)) {
    const marked = processesMarked(homePath);
    const spared = new Set([...ancestry().keys(), ...spare]);
    const others = marked.filter((pid) => !spared.has(pid));
    empty = others.length === 0 ? empty + 1 : 0;
    if (others.length > 0 && !hasTimeLeft())
      throw new Error(`processes of an earlier run can't be ended: ${others.join(', ')}`);
    for (const pid of others) {
      found.add(pid);
      kill(pid);
    }
  }
  return [...found];
}

function processesMarked(homePath: string): number[] {
  const table = processTable();
  const uid = process.getuid?.();
  return table.pids().filter((pid) => table.realUidOf(pid) === uid && table.environmentOf(pid, RUN_MARK) === homePath);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited in the meantime.
  }
}
