import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcess, findProgram } from './child-process.ts';

export interface DynamodbEmulatorOptions {
  /** Where the data lives; created if it is missing. No two emulators may share it: nothing would stop them. */
  readonly folder: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  /** An endpoint that somebody else runs (DynamoDB Local, say); then nothing is started. */
  readonly externalEndpoint?: string | undefined;
}

export interface DynamodbEmulator {
  readonly endpoint: string;
  /** The child's process id as of now; undefined with an external endpoint. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

/** How many milliseconds a start may take; it needs 20 to 100. */
const START_LIMIT = 15_000;

/**
 * Starts dynoxide on a loopback port. If it ends by itself (1.2.1 aborts on a multi-byte character inside an
 * expression string) it is started again on the same port and file; what it had acknowledged is there again.
 * @throws Error without a binary for this platform and without an external endpoint, or if it can't start.
 */
export async function startDynamodbEmulator(options: DynamodbEmulatorOptions): Promise<DynamodbEmulator> {
  const { folder, env, log, externalEndpoint } = options;
  if (externalEndpoint !== undefined && externalEndpoint !== '') {
    return { endpoint: externalEndpoint, pid: () => undefined, stop: async () => undefined };
  }
  const binary = findBinary();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const setpriv = await findProgram('setpriv');
  const launch = async (port: number): Promise<Running> => {
    const serve = ['serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', join(folder, 'ddb.sqlite')];
    // The kernel ends it together with us, so that even `kill -9` of this process leaves no second writer on the file.
    const command = setpriv === undefined ? [binary, ...serve] : [setpriv, '--pdeathsig', 'KILL', binary, ...serve];
    return await start(command, env);
  };
  const { port, running: first } = await launchOnFreePort(launch);
  let running = first;
  const stopped = new AbortController();
  const supervised = (async () => {
    for (;;) {
      await running.ended;
      if (stopped.signal.aborted) return;
      log(`the DynamoDB emulator ended by itself and is started again; its last words: ${running.lastWords()}`);
      const next = await launchAgain(() => launch(port), log, stopped.signal);
      if (next === undefined) return;
      running = next;
      if (stopped.signal.aborted) return await endProcess(next.child, 2_000);
    }
  })();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    pid: () => running.child.pid,
    stop: async () => {
      stopped.abort();
      await endProcess(running.child, 2_000);
      await supervised;
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  lastWords(): string;
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

async function launchOnFreePort(
  launch: (port: number) => Promise<Running>,
  attemptsLeft = 3,
): Promise<{ port: number; running: Running }> {
  const port = await freePort();
  try {
    return { port, running: await launch(port) };
  } catch (error) {
    // Somebody else may have taken the port since it was found free.
    if (attemptsLeft <= 1) throw error;
    return await launchOnFreePort(launch, attemptsLeft - 1);
  }
}

/** `--port 0` is of no use: the emulator binds a port and prints 0. */
async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system gave no free port');
  return address.port;
}

async function start(command: readonly string[], env: Readonly<Record<string, string>>): Promise<Running> {
  const [program = '', ...args] = command;
  // In a process group of its own: Ctrl-C at a terminal must reach us alone, who end it last.
  const child = spawn(program, args, { env: { ...env }, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const words: string[] = [];
  const listening = new Promise<true>((resolve) => {
    // The reader stays for the child's whole life: a full pipe would block it.
    createInterface({ input: child.stderr }).on('line', (line) => {
      words.push(line);
      if (words.length > 5) words.shift();
      if (line.includes('listening')) resolve(true);
    });
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      words.push(error.message);
      resolve();
    });
  });
  const lastWords = () => words.filter((line) => line.trim() !== '').join(' / ') || 'none';
  const ready = await Promise.race([listening, ended, delay(START_LIMIT, undefined, { ref: false })]);
  if (ready !== true) {
    await endProcess(child, 0);
    throw new Error(`the DynamoDB emulator did not start; its last words: ${lastWords()}`);
  }
  return { child, ended, lastWords };
}

async function launchAgain(
  launch: () => Promise<Running>,
  log: (line: string) => void,
  stopped: AbortSignal,
): Promise<Running | undefined> {
  for (let wait = 50; !stopped.aborted; wait = Math.min(wait * 2, 5_000)) {
    try {
      return await launch();
    } catch (error) {
      log(`${String(error)}; next try in ${wait} ms`);
      await delay(wait, undefined, { signal: stopped }).catch(() => undefined);
    }
  }
  return undefined;
}
