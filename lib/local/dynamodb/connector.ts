import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { openConnections } from './closed-listener.ts';

/**
 * The program that starts the DynamoDB emulator, ends with it, and hands the connections that its parent asks for over
 * to it. Arguments: `namespace`, in a network where nobody else can connect, or `shared`; the port; the emulator's
 * command. Its messages: `ConnectorMessage`.
 */
const [, , network = '', port = '', program = '', ...args] = process.argv;

/** What is sent to the parent; a connection comes with its socket. */
export type ConnectorMessage =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'connection'; readonly id: number; readonly error?: string };

/** A request for a connection, answered under the same id. */
export type ConnectorRequest = { readonly id: number };

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
const open =
  network === 'namespace'
    ? connectNow
    : await openConnections({ pid: emulator.pid ?? 0, port: Number(port), connectNow });
process.on('message', ({ id }: ConnectorRequest) => {
  open().then(
    (socket) => send({ kind: 'connection', id }, socket),
    (error: unknown) => send({ kind: 'connection', id, error: String(error) }),
  );
});
send({ kind: 'started', pid: emulator.pid ?? 0 });

async function listening({ stderr }: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    // The reader stays for the emulator's whole life: a full pipe would block it.
    createInterface({ input: stderr ?? process.stdin }).on('line', (line) => {
      process.stderr.write(`${line}\n`);
      if (line.includes('listening')) resolve();
    });
  });
}

async function connectNow(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
  // What the emulator sends is for the parent to read.
  socket.pause();
  await once(socket, 'connect');
  return socket;
}

function send(message: ConnectorMessage, socket?: Socket): void {
  process.send?.(message, socket);
}
