import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { isLinux } from '../../../platform/platform-name.ts';
import { stallTolerantTimer } from '../../../platform/stall-tolerant-timer.ts';
import { programFile } from '../../program/program-files.ts';
import { endProcess, findProgram } from '../../run/child-process.ts';
import type { RunCredentials } from '../../run-access/run-credentials.ts';
import type { ConnectorRequest } from './connector.ts';

/** A running emulator, and the connector process that forwards requests to it. */
export interface EmulatorProcess {
  /** The connector, which exits with the emulator. */
  readonly child: ChildProcess;
  /** The emulator's process id. */
  readonly pid: number;
  readonly ended: Promise<void>;
  /** Passes a client's connection to the connector. */
  take(client: Socket): void;
  lastWords(): string;
}

/** Milliseconds that a start may take, stalls of the machine aside; it needs 100 to 200. */
const START_TIMEOUT_MS = 30_000;
/** The emulator's port in its separate network, where nothing else listens. */
const NAMESPACE_PORT = 8000;

const startedSchema = z.object({ pid: z.number() });
const messageSchema = z.union([z.object({ taken: z.number() }), z.object({ written: z.array(z.string()) })]);

interface EmulatorProcessOptions {
  /** The emulator's program. */
  readonly binary: string;
  /** The database file; created if it is missing. */
  readonly file: string;
  readonly credentials: RunCredentials;
  readonly env: Readonly<Record<string, string>>;
  /** The command prefix that starts a program in a separate network; undefined: it shares this machine's. */
  readonly network: readonly string[] | undefined;
  /** Called with the tables that may have been written; any: no name. */
  readonly onWrite: (tables: readonly string[]) => void;
}

const CONNECTOR = programFile('lib/local/emulators/dynamodb/connector');

/** @throws Error with the emulator's last output */
export async function startEmulatorProcess({
  binary,
  file,
  credentials,
  env,
  network,
  onWrite,
}: EmulatorProcessOptions): Promise<EmulatorProcess> {
  const setpriv = isLinux() ? await findProgram('setpriv') : undefined;
  // The kernel kills both with this process, so that even `kill -9` leaves no second writer on the file.
  const withParent = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL'];
  const port = String(network === undefined ? await freePort() : NAMESPACE_PORT);
  const connector = [process.execPath, CONNECTOR, modeOf(network), port];
  const serve = [binary, 'serve', '--host', '127.0.0.1', '--port', port, '--db-path', file];
  const command = [...withParent, ...(network ?? []), ...connector, ...withParent, ...serve];
  const [program = '', ...args] = command;
  // A separate process group: Ctrl-C at a terminal must reach only this process, which ends the child last.
  const child = spawn(program, args, { env: { ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], detached: true });
  const words: string[] = [];
  // Read for the child's whole life: a full pipe would block it.
  createInterface({ input: child.stderr ?? process.stdin }).on('line', (line) => {
    words.push(line);
    if (words.length > 5) words.shift();
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      words.push(error.message);
      resolve();
    });
  });
  const started = once(child, 'message').then(([message]) => startedSchema.parse(message).pid);
  const start: ConnectorRequest = { kind: 'start', credentials };
  child.send(start, () => undefined);
  const lastWords = () => words.filter((line) => line.trim() !== '').join(' / ') || 'none';
  const pid = await Promise.race([started, ended, timeIsUp()]);
  if (pid === undefined) {
    await endProcess(child, 0);
    throw new Error(`the DynamoDB emulator did not start; its last words: ${lastWords()}`);
  }
  return { child, pid, ended, take: handOver(child, ended, onWrite), lastWords };
}

/** How the connector keeps others from the emulator; see there. */
function modeOf(network: readonly string[] | undefined): string {
  if (network !== undefined) return 'namespace';
  return isLinux() ? 'closed' : 'open';
}

async function timeIsUp(): Promise<undefined> {
  const hasTimeLeft = stallTolerantTimer(START_TIMEOUT_MS);
  while (hasTimeLeft()) await delay(250, undefined, { ref: false });
}

/**
 * Passes connections on, and closes each here once the connector has it or has exited; then the client sees a broken
 * connection and retries. Node (24.21) never closes a socket that was being sent to an exiting process.
 */
function handOver(
  child: ChildProcess,
  ended: Promise<void>,
  onWrite: EmulatorProcessOptions['onWrite'],
): (client: Socket) => void {
  const onTheirWay = new Map<number, Socket>();
  let count = 0;
  let hasEnded = false;
  const letGo = (number: number) => {
    onTheirWay.get(number)?.destroy();
    onTheirWay.delete(number);
  };
  child.on('message', (message) => {
    const report = messageSchema.parse(message);
    if ('taken' in report) letGo(report.taken);
    else onWrite(report.written);
  });
  void ended.then(() => {
    hasEnded = true;
    for (const number of [...onTheirWay.keys()]) letGo(number);
  });
  return (client) => {
    count += 1;
    const number = count;
    client.on('error', () => undefined);
    onTheirWay.set(number, client);
    if (hasEnded) return letGo(number);
    const request: ConnectorRequest = { kind: 'client', number };
    child.send(request, client, { keepOpen: true }, (error) => error !== null && letGo(number));
  };
}

/** `--port 0` doesn't work: the emulator binds a free port and prints 0. */
async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = z.object({ port: z.number() }).parse(probe.address());
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
