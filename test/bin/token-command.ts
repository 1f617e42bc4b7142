import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/token.ts', import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the operator's command for tokens on a home. */
export async function runToken(home: string, ...args: string[]): Promise<Ended> {
  return await runTokenIn({ PROMPTQ_HOME: home }, args);
}

/** The same in an environment. */
export async function runTokenIn(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<Ended> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
