import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Folders that only the system's own packages write to; the last is where NixOS has them. */
const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';

/**
 * Runs a tool of the system with the worker's own rights: not one that a PATH names, and without the worker's
 * environment, which holds where its credentials are.
 */
export async function runSystemTool(tool: 'mkfifo' | 'rm', args: readonly string[]): Promise<void> {
  await run(tool, args, { env: { PATH: SYSTEM_PATH } });
}
