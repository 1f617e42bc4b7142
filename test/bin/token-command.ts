import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/token.ts', import.meta.url));

/** Runs the operator's command for tokens on a home. */
export async function runToken(
  home: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return await new Promise((resolve) => {
    const env = { ...process.env, PROMPTQ_HOME: home };
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
