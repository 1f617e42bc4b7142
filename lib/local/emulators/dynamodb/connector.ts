import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RunCredentials } from '../../run-access/run-credentials.ts';
import { SignatureCheck, sendRefusal } from '../../run-access/signature-check.ts';

/*
 * The program that starts the DynamoDB emulator, exits with it, and forwards requests of the clients that its parent
 * sends. Arguments: `namespace` (a network that no other process can reach), `closed` (the emulator accepts no further
 * connections, which only Linux can do) or `open`; the port; the emulator's command. The file has the connections to the
 * emulator, the proxy that checks signatures, and the program.
 */

/** Twice as many as are used at once: a broken connection is not replaced. */
const HELD_CONNECTIONS = 128;
const POLL_INTERVAL_MS = 5;

/**
 * Opens all the connections that a server will ever accept, then closes it to others: with a descriptor limit of zero,
 * a process keeps its connections and accepts no others.
 * @returns a function that hands out one of the connections at a time
 * @throws Error if another process took a connection first; the server must then be ended
 */
async function openConnections(options: {
  readonly pid: number;
  readonly port: number;
  readonly connectNow: () => Promise<Socket>;
}): Promise<() => Promise<Socket>> {
  const { pid, port, connectNow } = options;
  const sockets = await Promise.all(Array.from({ length: HELD_CONNECTIONS }, connectNow));
  const own = new Set(sockets.map(({ localPort }) => localPort));
  while ((await peersOf(pid, port)).filter((peer) => own.has(peer)).length < HELD_CONNECTIONS)
    await delay(POLL_INTERVAL_MS);
  await promisify(execFile)('prlimit', [`--pid=${pid}`, '--nofile=0:0']);
  if ((await peersOf(pid, port)).some((peer) => !own.has(peer)))
    throw new Error('another process has connected to the DynamoDB emulator while it started');
  return async () => {
    const socket = sockets.pop();
    // The parent sees this process exit, and starts another with new connections.
    if (socket === undefined) process.exit(1);
    return socket;
  };
}

/** The remote ports of the connections that a process has accepted on a loopback port. */
async function peersOf(pid: number, port: number): Promise<number[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(names.map(async (name) => await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  const inodes = new Set(
    links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]).filter((inode) => inode !== undefined),
  );
  const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines
    .filter(
      ([, local, , state, , , , , , inode]) => inodes.has(inode ?? '') && portOf(local) === port && state !== LISTEN,
    )
    .map(([, , remote]) => portOf(remote));
}

/** The state LISTEN in /proc/net/tcp. */
const LISTEN = '0A';

function portOf(place: string | undefined): number {
  return Number.parseInt(place?.split(':')[1] ?? '', 16);
}

/** DynamoDB's limit for a request, in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Milliseconds. Longer than SDKs keep idle connections: a request must not meet a closing one. */
const KEEP_ALIVE_MS = 65_000;
/** Concurrent; the emulator handles one request at a time anyway. */
const CONNECTIONS = 64;
/** The request headers that the emulator reads. */
const PASSED = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization'] as const;

/** Requests that may write to a table. */
const WRITES = /\.(Put|Update|Delete|BatchWrite|TransactWrite|Execute|BatchExecute)/;
/** How most of them name their tables. Quotes within values are escaped. */
const TABLE_NAME = /"TableName"\s*:\s*"([^"]+)"/g;

/**
 * A server, given its connections by others, that forwards requests signed by this run's callers to the emulator and
 * rejects all others.
 * @param onWrite called after the emulator has answered a request that may have written, with the tables; any: no name
 */
function dynamodbProxy(
  credentials: RunCredentials,
  connect: () => Promise<Socket>,
  onWrite: (tables: readonly string[]) => void,
): Server {
  const check = new SignatureCheck(credentials, ['dynamodb']);
  const agent = new EmulatorAgent(connect);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const refusal = await check.refusalOf(request, body);
    if (refusal !== undefined) return sendRefusal(request, response, refusal);
    await forward(agent, { request, body, response });
    const target = String(request.headers['x-amz-target']);
    if (WRITES.test(target)) onWrite(tablesOf(body));
  };
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, (request, response) => {
    // A request whose body was not read to its end has none any longer.
    const { socket } = request;
    // The emulator or the client has disconnected: the client sees a broken connection, and retries.
    answer(request, response).catch(() => socket.destroy());
  });
}

/** @returns none if it names them otherwise */
function tablesOf(body: Buffer): string[] {
  return [...new Set([...body.toString().matchAll(TABLE_NAME)].map(([, name = '']) => name))];
}

/** Keeps connections to the emulator alive. */
class EmulatorAgent extends Agent {
  readonly #connect: () => Promise<Socket>;

  constructor(connect: () => Promise<Socket>) {
    super({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });
    this.#connect = connect;
  }

  override createConnection(_options: object, done?: (error: Error | null, stream: Duplex) => void): undefined {
    this.#connect().then(
      (socket) => done?.(null, socket),
      // Node passes no stream with an error, despite the type.
      (error: Error) => (done as ((error: Error) => void) | undefined)?.(error),
    );
  }
}

/** @throws Error if the body exceeds DynamoDB's limit or breaks off */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error(`a request of over ${MAX_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}

async function forward(
  agent: Agent,
  { request, body, response }: { request: IncomingMessage; body: Buffer; response: ServerResponse },
): Promise<void> {
  const passed = PASSED.map((name) => [name, request.headers[name]]).filter(([, value]) => value !== undefined);
  const forwarded = httpRequest({
    agent,
    method: 'POST',
    path: '/',
    headers: { ...Object.fromEntries(passed), host: '127.0.0.1', 'content-length': body.length },
  });
  forwarded.end(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    forwarded.once('response', resolve);
    forwarded.once('error', reject);
  });
  // Read to the end even after the client disconnects: a broken connection would be lost to others.
  const bytes = await buffer(answer);
  const headers = Object.entries(answer.headers).filter(([name]) => !LEFT_OUT.test(name));
  response.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers));
  response.end(bytes);
}

/** Headers for browsers, and those of the emulator's own connection. */
const LEFT_OUT = /^(access-control-.*|connection|keep-alive|transfer-encoding|vary)$/;

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
