import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGone, realUidOf } from '../process-table.ts';
import type { ServiceAccount } from './service-account.ts';

/** Not looked for in a PATH, which a profile may set. */
const SETPRIV = '/usr/bin/setpriv';
/** Nothing that a program could win back: no group, no capability, nothing by a set-user-ID file. */
const DROPPED = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
/** What jobs make in a folder that they share can be changed by the other slots, which are of the same group. */
const UMASK = 0o002;

/** Like `spawn`, under an account if there is one. Whether it could be started tells the process's first event. */
export function startUnder(
  account: ServiceAccount | undefined,
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  if (account === undefined) return spawn(command, args, options);
  const own = process.umask(UMASK);
  try {
    const identity = [`--reuid=${account.uid}`, `--regid=${account.gid}`];
    return spawn(SETPRIV, [...identity, ...DROPPED, '--', command, ...args], options);
  } finally {
    process.umask(own);
  }
}

/** Milliseconds. */
const LOOK_EVERY = 1;

/** Until a started process belongs to its account, or has ended: before that, nobody finds it there. */
export async function untilUnder(account: ServiceAccount | undefined, pid: number): Promise<void> {
  if (account === undefined) return;
  while (realUidOf(pid) !== account.uid && !isGone(pid)) await sleep(LOOK_EVERY);
}
