import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Logger } from '@aws-lambda-powertools/logger';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { ApiError } from '../../lib/contract/errors.ts';
import { rejectUnsound } from '../../lib/contract/input/reject-unsound.ts';
import { TOOL_SERVER, type ToolAccess } from '../commands/tool-access.ts';
import { type Tool, ToolRefusedError } from './tool.ts';

/** Longest request, bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Milliseconds in which a request must have arrived. A tool may take longer to answer it. */
const RECEIVE_TIMEOUT_MS = 10_000;

const PATH = '/mcp';

/** The tools of one attempt, served on loopback. */
export interface ToolServer extends ToolAccess {
  /** Ends the calls in progress. No call begins afterwards. */
  close(): Promise<void>;
}

interface ToolServerOptions {
  readonly log: Pick<Logger, 'warn'>;
  readonly version: string;
  /** Of the agent; undefined: that of this process. */
  readonly uid: number | undefined;
}

/**
 * Serves the tools of an attempt by the Model Context Protocol, without sessions, to callers with the attempt's key.
 * Browsers and other hosts' names are refused, so that no web page reaches it.
 */
export async function startToolServer(
  tools: readonly Tool[],
  { log, version, uid }: ToolServerOptions,
): Promise<ToolServer> {
  const key = randomBytes(32).toString('base64url');
  const closing = new AbortController();
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      log.warn('a request to the tools of an attempt failed', error);
      if (!response.headersSent) refuse(response, 500, 'it failed');
      response.destroy();
    });
  });
  server.requestTimeout = RECEIVE_TIMEOUT_MS;
  server.headersTimeout = RECEIVE_TIMEOUT_MS;
  const connections = limitConnections(server, uid);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method, url } = request;
    if (headers.host !== host || headers.origin !== undefined) return refuse(response, 403, 'only agents may call it');
    if (!isSame(headers.authorization, `Bearer ${key}`)) return refuse(response, 401, 'the key is missing or wrong');
    connections.onKey(request.socket);
    if (url !== PATH) return refuse(response, 404, `there is only ${PATH}`);
    if (method !== 'POST') return refuse(response.setHeader('allow', 'POST'), 405, 'only POST is served');
    const [type] = (headers['content-type'] ?? '').split(';');
    if (type?.trim().toLowerCase() !== 'application/json') return refuse(response, 415, 'send application/json');
    const body = await readBody(request);
    if (body === undefined) return refuse(response, 413, `send at most ${MAX_BODY_BYTES} bytes`);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    await answer(response, headers, body, AbortSignal.any([gone.signal, closing.signal]));
  }

  async function answer(
    response: ServerResponse,
    headers: IncomingMessage['headers'],
    body: string,
    signal: AbortSignal,
  ): Promise<void> {
    const mcp = mcpServer(tools, { log, version, signal });
    const transport = new WebStandardStreamableHTTPServerTransport({
      // Without the member, its types promise a function.
      ...({ sessionIdGenerator: undefined } as object),
      enableJsonResponse: true,
    });
    try {
      await mcp.connect(transport);
      const passed = Object.entries(headers).filter(
        (entry): entry is [string, string] => PASSED.has(entry[0]) && typeof entry[1] === 'string',
      );
      const request = new Request(`http://${host}${PATH}`, { method: 'POST', headers: passed, body });
      const answered = await transport.handleRequest(request);
      const text = await answered.text();
      response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(text);
    } finally {
      await mcp.close();
    }
  }

  return {
    url: `http://${host}${PATH}`,
    key,
    async close() {
      closing.abort();
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The headers that the protocol reads. */
const PASSED: ReadonlySet<string> = new Set(['accept', 'content-type', 'mcp-protocol-version']);

function mcpServer(
  tools: readonly Tool[],
  { log, version, signal }: { log: Pick<Logger, 'warn'>; version: string; signal: AbortSignal },
): McpServer {
  const mcp = new McpServer({ name: TOOL_SERVER, version });
  for (const { name, description, input, call } of tools) {
    mcp.registerTool(
      name,
      { description, inputSchema: input, _meta: { 'anthropic/alwaysLoad': true } },
      async (args) => {
        try {
          if (signal.aborted) throw new ToolRefusedError('The attempt is ending.');
          rejectUnsound('arguments', args);
          return { content: [{ type: 'text', text: await call(args, signal) }] };
        } catch (error) {
          const isRefused = error instanceof ToolRefusedError || error instanceof ApiError;
          if (!isRefused) log.warn(`the tool ${name} failed`, error as Error);
          const text = isRefused ? error.message : 'The tool failed. Try again later.';
          return { content: [{ type: 'text', text }], isError: true };
        }
      },
    );
  }
  return mcp;
}

/** @returns undefined: it is too long */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Compares in constant time. */
function isSame(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given ?? ''), digest(expected));
}

function refuse(response: ServerResponse, status: number, why: string): void {
  // The rest of a long body is not read.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error: why }));
}

/**
 * Connections at once: so many that have sent the key, and so many that have not. Agents use one or two; the limit keeps
 * others from using up descriptors.
 */
const MAX_CONNECTIONS = 100;

/** The connections of a server. */
interface LimitedConnections {
  /** The agent uses the connection: it is not closed for the sake of others. */
  onKey(socket: Socket): void;
}

/**
 * Limits the connections of a server on loopback. Of too many without the key, those of other users are closed, or the
 * oldest one: jobs in other slots must not keep an agent from its tools.
 * @param uid of the agent; undefined: others run as the same user
 */
function limitConnections(server: Server, uid: number | undefined): LimitedConnections {
  const withoutKey = new Set<Socket>();
  server.maxConnections = 2 * MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    withoutKey.add(socket);
    socket.once('close', () => withoutKey.delete(socket));
    if (withoutKey.size <= MAX_CONNECTIONS) return;
    const foreign = uid === undefined ? [] : foreignTo(uid, server, withoutKey);
    for (const surplus of foreign.length > 0 ? foreign : [...withoutKey].slice(0, 1)) {
      withoutKey.delete(surplus);
      surplus.destroy();
    }
  });
  return { onKey: (socket) => void withoutKey.delete(socket) };
}

/** The connections that processes of other users have made. @returns none where the platform does not list them */
function foreignTo(uid: number, server: Server, sockets: Iterable<Socket>): Socket[] {
  const owners = ownersByPort((server.address() as AddressInfo).port);
  if (owners.size === 0) return [];
  return [...sockets].filter(({ remotePort }) => owners.get(remotePort ?? 0) !== uid);
}

/** The users of the connections to a port of this machine, by the port at their end. */
function ownersByPort(port: number): Map<number, number> {
  const owners = new Map<number, number>();
  for (const line of ['tcp', 'tcp6'].flatMap(linesOf)) {
    const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/);
    if (portOf(remote) === port) owners.set(portOf(local), Number(uid));
  }
  return owners;
}

function linesOf(name: string): string[] {
  try {
    return readFileSync(`/proc/net/${name}`, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** @param address `0100007F:1F90` */
function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}
