import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Ends a child: SIGTERM, then SIGKILL after the grace period, and waits until it is reaped.
 * @param graceMs 0: SIGKILL at once
 */
export async function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)));
  if (graceMs > 0) {
    child.kill('SIGTERM');
    const timer = new AbortController();
    const inTime = await Promise.race([ended, delay(graceMs, false, { signal: timer.signal }).catch(() => false)]);
    timer.abort();
    if (inTime) return;
  }
  child.kill('SIGKILL');
  await ended;
}

/** Whether this process has observed the child's exit. */
function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** The full path of an executable on this process's PATH; undefined if there is none. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, name);
    const found = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found && folder !== '') return candidate;
  }
  return undefined;
}
