import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { RunCredentials } from '../../run-access/run-credentials.ts';
import { openConnections } from './closed-listener.ts';
import { dynamodbProxy } from './dynamodb-proxy.ts';

/**
 * The program that starts the DynamoDB emulator, exits with it, and forwards requests of the clients that its parent
 * sends. Arguments: `namespace` (a network that no other process can reach), `closed` (the emulator accepts no further
 * connections, which only Linux can do) or `open`; the port; the emulator's command.
 */
const [, , network = '', port = '', program = '', ...args] = process.argv;

/**
 * The parent's messages: first the clients' credentials, then clients, each with its socket and the parent's number.
 */
export type ConnectorRequest =
  | { readonly kind: 'start'; readonly credentials: RunCredentials }
  | { readonly kind: 'client'; readonly number: number };

/**
 * To the parent: first that the emulator, with this process id, accepts clients; then the number of each client taken, and
 * which tables may have been written; none named: any.
 */
type ConnectorMessage = { readonly pid: number } | { readonly taken: number } | { readonly written: readonly string[] };

/** Milliseconds in which writes are reported together. */
const REPORTED_TOGETHER_MS = 50;

process.once('message', (request: ConnectorRequest) => {
  if (request.kind !== 'start') throw new Error('the first message must bring the credentials');
  void serve(request.credentials);
});

async function serve(credentials: RunCredentials): Promise<void> {
  const emulator = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  emulator.once('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  emulator.once('exit', (code) => process.exit(code ?? 1));
  process.on('SIGTERM', () => emulator.kill('SIGTERM'));
  process.on('disconnect', () => {
    emulator.kill('SIGKILL');
    process.exit();
  });
  await listening(emulator);
  const { pid = 0 } = emulator;
  const open = network === 'closed' ? await openConnections({ pid, port: Number(port), connectNow }) : connectNow;
  const proxy = dynamodbProxy(credentials, open, reportTogether());
  process.on('message', (request: ConnectorRequest, client: Socket | undefined) => {
    if (request.kind !== 'client') return;
    // A client that disconnected in the meantime arrives without its socket.
    if (client !== undefined) {
      proxy.emit('connection', client);
      client.resume();
    }
    const taken: ConnectorMessage = { taken: request.number };
    process.send?.(taken);
  });
  const message: ConnectorMessage = { pid };
  process.send?.(message);
}

/** Reports writes to the parent. */
function reportTogether(): (tables: readonly string[]) => void {
  const pending = new Set<string>();
  let isAny = false;
  let isPending = false;
  return (tables) => {
    for (const table of tables) pending.add(table);
    isAny ||= tables.length === 0;
    if (isPending) return;
    isPending = true;
    setTimeout(() => {
      const message: ConnectorMessage = { written: isAny ? [] : [...pending] };
      pending.clear();
      isAny = false;
      isPending = false;
      process.send?.(message);
    }, REPORTED_TOGETHER_MS).unref();
  };
}

async function listening({ stderr }: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    // Read for the emulator's whole life: a full pipe would block it.
    createInterface({ input: stderr ?? process.stdin }).on('line', (line) => {
      process.stderr.write(`${line}\n`);
      if (line.includes('listening')) resolve();
    });
  });
}

async function connectNow(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}
