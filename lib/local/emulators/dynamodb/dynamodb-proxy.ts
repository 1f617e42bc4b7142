import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sendRefusal } from '../../run-access/refuse-unsigned.ts';
import type { RunCredentials } from '../../run-access/run-credentials.ts';
import { SignatureCheck } from '../../run-access/signature-check.ts';

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
export function dynamodbProxy(
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
