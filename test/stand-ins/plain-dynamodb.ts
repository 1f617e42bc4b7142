import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';
import { emulatorBinary } from '../../lib/local/emulators/dynamodb/emulator-binary.ts';
import { endProcess, findProgram } from '../../lib/local/run/child-process.ts';
import type { SecondDynamodb } from './second-dynamodb.ts';

/** Below the ports that systems give to connections, which change all the time. */
const PORTS = { first: 12_000, end: 32_000 } as const;

/**
 * Starts the emulator of a local run in memory, on a port of loopback that anything on this machine may call: without the
 * process that admits a local run's own callers only, which takes a third of a second of CPU time to start.
 */
export async function startPlainDynamodb(): Promise<SecondDynamodb> {
  const binary = await emulatorBinary(() => undefined);
  for (;;) {
    const started = await startOn(binary, randomInt(PORTS.first, PORTS.end));
    if (started !== undefined) return started;
  }
}

/** @returns undefined if the port is taken. @throws Error if the emulator ends for another reason */
async function startOn(binary: string, port: number): Promise<SecondDynamodb | undefined> {
  // A test run that is killed must leave no emulator behind.
  const setpriv = await findProgram('setpriv');
  const withParent = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL'];
  const [program = '', ...args] = [...withParent, binary, 'serve', '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: {} });
  let words = '';
  for await (const line of createInterface(child.stderr)) {
    if (line.includes('listening')) {
      child.stderr.resume();
      const { pid = 0 } = child;
      return { endpoint: `http://127.0.0.1:${port}`, pid, stop: async () => await endProcess(child, 0) };
    }
    words += `${line}\n`;
  }
  if (/in use/i.test(words)) return undefined;
  throw new Error(`the DynamoDB emulator ended before it listened: ${words}`);
}
