import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endProcess } from '../../lib/local/run/child-process.ts';

/** moto's server, as `pip install 'moto[server]'` installs it: where it is set, tests use its DynamoDB and not dynoxide. */
const PROGRAM = process.env.PROMPTQ_TEST_MOTO_SERVER;

export interface SecondDynamodb {
  readonly endpoint: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts an empty DynamoDB of moto on a free port of loopback; undefined unless PROMPTQ_TEST_MOTO_SERVER is set. */
export async function startSecondDynamodb(): Promise<SecondDynamodb | undefined> {
  if (PROGRAM === undefined) return undefined;
  // A test run that is killed must leave no server behind.
  const args = ['--pdeathsig', 'TERM', PROGRAM, '-H', '127.0.0.1', '-p', '0'];
  const child = spawn('setpriv', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(child, 'spawn');
  for await (const line of createInterface(child.stderr)) {
    const endpoint = / \* Running on (http:\S+)/.exec(line)?.[1];
    if (endpoint === undefined) continue;
    child.stderr.resume();
    return { endpoint, pid: child.pid ?? 0, stop: async () => await endProcess(child, 2_000) };
  }
  throw new Error(`${PROGRAM} ended before it listened`);
}
