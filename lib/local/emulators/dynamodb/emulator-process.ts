import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { endProcess, findProgram } from '../../run/child-process.ts';
import type { RunCredentials } from '../../run-access/run-credentials.ts';
import type { ConnectorRequest } from './connector.ts';

/** A running emulator, and the process beside it that passes requests on to it. */
export interface EmulatorProcess {
  /** The connector, which ends with the emulator. */
  readonly child: ChildProcess;
  /** The emulator's own. */
  readonly pid: number;
  readonly ended: Promise<void>;
  /** Hands a client's connection over. */
  take(client: Socket): void;
  lastWords(): string;
}

/** How many milliseconds a start may take; it needs 100 to 200. */
const START_LIMIT = 15_000;
/** Of the emulator in a network of its own, where nobody else listens. */
const NAMESPACE_PORT = 8000;

const startedSchema = z.object({ pid: z.number() });
const takenSchema = z.object({ taken: z.number() });

export interface EmulatorProcessOptions {
  /** The database; made if it is missing. */
  readonly file: string;
  readonly credentials: RunCredentials;
  readonly env: Readonly<Record<string, string>>;
  /** The words that start a command in a network of its own; undefined: it shares this machine's. */
  readonly network: readonly string[] | undefined;
}

const CONNECTOR = fileURLToPath(new URL('connector.ts', import.meta.url));

/** @throws Error without a binary for this platform, or with the emulator's last words */
export async function startEmulatorProcess({
  file,
  credentials,
  env,
  network,
}: EmulatorProcessOptions): Promise<EmulatorProcess> {
  const setpriv = await findProgram('setpriv');
  // The kernel ends both together with us, so that even `kill -9` of this process leaves no second writer on the file.
  const withParent = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL'];
  const port = String(network === undefined ? await freePort() : NAMESPACE_PORT);
  const connector = [process.execPath, CONNECTOR, network === undefined ? 'shared' : 'namespace', port];
  const serve = [findBinary(), 'serve', '--host', '127.0.0.1', '--port', port, '--db-path', file];
  const command = [...withParent, ...(network ?? []), ...connector, ...withParent, ...serve];
  const [program = '', ...args] = command;
  // In a process group of its own: Ctrl-C at a terminal must reach us alone, who end it last.
  const child = spawn(program, args, { env: { ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], detached: true });
  const words: string[] = [];
  // The reader stays for the child's whole life: a full pipe would block it.
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
  const pid = await Promise.race([started, ended, delay(START_LIMIT, undefined, { ref: false })]);
  if (pid === undefined) {
    await endProcess(child, 0);
    throw new Error(`the DynamoDB emulator did not start; its last words: ${lastWords()}`);
  }
  return { child, pid, ended, take: handOver(child, ended), lastWords };
}

/**
 * Hands connections over and lets go of each once the connector has it, or has ended: then the client finds a broken
 * connection, and tries again. Node itself (24.21) never closes what was on its way to a process that ends.
 */
function handOver(child: ChildProcess, ended: Promise<void>): (client: Socket) => void {
  const onTheirWay = new Map<number, Socket>();
  let count = 0;
  let hasEnded = false;
  const letGo = (number: number) => {
    onTheirWay.get(number)?.destroy();
    onTheirWay.delete(number);
  };
  child.on('message', (message) => letGo(takenSchema.parse(message).taken));
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

function findBinary(): string {
  try {
    return createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  } catch {
    throw new Error(
      `no DynamoDB emulator for ${process.platform}-${process.arch}: only linux-x64 (and WSL2) comes with one. ` +
        'Start DynamoDB Local yourself and set PROMPTQ_DYNAMODB_ENDPOINT to its address, such as http://127.0.0.1:8000',
    );
  }
}

/** `--port 0` is of no use: the emulator binds a port and prints 0. */
async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = z.object({ port: z.number() }).parse(probe.address());
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
