import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../lib/local/run/child-process.ts';
import type { EmulatedDeployment } from '../stand-ins/emulated-deployment.ts';

const PROGRAM = fileURLToPath(new URL('../../worker-container/main.ts', import.meta.url));

/** A worker as a separate process. */
export interface WorkerUnderTest {
  readonly process: ChildProcess;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  /** What it has logged so far. */
  output(): string;
}

/** Starts the real worker on an emulated deployment; it does not outlive the tests. */
export async function startWorkerProcess(
  deployment: EmulatedDeployment,
  env: Record<string, string>,
): Promise<WorkerUnderTest> {
  const setpriv = await findProgram('setpriv');
  const [program = '', ...args] = [
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL']),
    process.execPath,
    PROGRAM,
  ];
  const folder = join(deployment.env.PROMPTQ_WORKSPACES, '..', 'worker-process');
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ...deployment.processEnv,
      PROMPTQ_WORK_DIR: folder,
      PROMPTQ_ACCOUNT_DIR: join(folder, 'account'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (printed += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { process: child, ended, output: () => printed };
}
