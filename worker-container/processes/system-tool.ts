import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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
