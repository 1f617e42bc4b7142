import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import { endStarted } from '../../../worker-container/service-accounts/start-under-account.ts';

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** Starts a script in place of each process of the worker; `spawn` is the real one. */
export function inPlaceOf(spawn: Spawn, script: string): { readonly spawn: Spawn; readonly started: ChildProcess[] } {
  const started: ChildProcess[] = [];
  return {
    started,
    spawn: (_command, _args, options) => {
      const child = spawn('/bin/bash', ['-c', script], options);
      started.push(child);
      onTestFinished(() => endStarted(child));
      return child;
    },
  };
}

/** The process whose id a script has written to a file. It is ended with the test. */
export async function processIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file), { interval: 5 }).toBe(true);
  const pid = Number(await readFile(file, 'utf8'));
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  return pid;
}
