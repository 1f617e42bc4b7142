import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const COMPILER = fileURLToPath(new URL('../../../node_modules/typescript-native/bin/tsc', import.meta.url));

/** The projects that `npm run types` checks. */
const PROJECTS = ['.', 'console'] as const;

/** @returns the first thing that the compiler says of a copy of the repository; undefined: nothing. */
export async function firstError(folder: string): Promise<string | undefined> {
  for (const project of PROJECTS) {
    // What was checked before is kept beside the copy's sources.
    const kept = ['--incremental', '--tsBuildInfoFile', join(folder, `${project}.tsbuildinfo`)];
    const args = [COMPILER, '--noEmit', '--pretty', 'false', ...kept, '-p', project];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const [error] = /^[^\s(][^(\n]*\(\d+,\d+\): error .*$/m.exec(output) ?? [];
    if (error !== undefined) return error.slice(0, 180);
    if (child.exitCode !== 0) throw new Error(`the compiler failed: ${output.slice(0, 500)}`);
  }
  return undefined;
}
