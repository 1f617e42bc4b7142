import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { errorSentence } from '../client/error-sentence.ts';
import { RequestError, UnreachableError } from '../client/errors.ts';
import { Promptq } from '../client/promptq.ts';
import { mcpAnswer } from '../contract/schemas/mcp.ts';
import type { Scope } from '../contract/scopes.ts';
import { mcpServer } from './mcp-server.ts';
import { TOOL_CONTRACTS } from './tool-contracts.ts';
import { CALL_SECONDS } from './tool-table.ts';

/** Seconds for which failing requests are retried. */
const RETRY_SECONDS = 5;

/** On whose behalf a message is answered. */
interface McpCaller {
  readonly version: string;
  /** Origin of the API that the tools call. Never from the request. */
  readonly baseUrl: string;
  /** The caller's own API token. */
  readonly token: string;
  /** Whether the caller may use routes with this scope. */
  readonly may: (scope: Scope) => boolean;
  /** Called with the unexpected failure of a tool or a method. */
  readonly onFailure: (of: string, error: Error) => void;
}

/** A message in JSON-RPC, and the headers that repeat parts of it. */
interface McpMessage {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The answer, as HTTP carries it. */
interface McpAnswer {
  readonly status: 200 | 202 | 400 | 404;
  readonly body?: z.output<typeof mcpAnswer>;
}

/** Answers one message. Nothing is kept: any process can answer the next one. @returns no body for a notification */
export async function answerMcp({ body, headers }: McpMessage, caller: McpCaller): Promise<McpAnswer> {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const request = new Request(new URL('/mcp', caller.baseUrl), { method: 'POST', headers: [...given, ...ACCEPTED] });
  const create = () => serverOf(caller, AbortSignal.timeout(CALL_SECONDS.http * 1000));
  const response = (await isLegacyRequest(request, body))
    ? await answerLegacy(request, body, create())
    : await answerModern(request, body, create);
  const text = await response.text();
  const status = response.status as McpAnswer['status'];
  return text === '' ? { status } : { status, body: mcpAnswer.parse(JSON.parse(text)) };
}

/** What the protocol wants clients to send; a stream of this server is one event. */
const ACCEPTED: readonly [string, string][] = [
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream'],
];

/** The revision 2026-07-28, in which each message says all that its answer needs. */
async function answerModern(request: Request, body: McpMessage['body'], create: () => Server): Promise<Response> {
  // Nothing changes that a client could subscribe to.
  const handler = createMcpHandler(create, { legacy: 'reject', maxSubscriptions: 0 });
  try {
    return await handler.fetch(request, { parsedBody: body });
  } finally {
    await handler.close();
  }
}

/** The revisions of 2025, without sessions: the answer to `initialize` is the same for every client. */
async function answerLegacy(request: Request, body: McpMessage['body'], server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    // Without the member, its types promise a function.
    ...({ sessionIdGenerator: undefined } as object),
    enableJsonResponse: true,
  });
  try {
    await server.connect(transport);
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function serverOf(caller: McpCaller, over: AbortSignal): Server {
  const { baseUrl, token } = caller;
  const client = new Promptq({ baseUrl, token, retrySeconds: RETRY_SECONDS, signal: over });
  return mcpServer({
    version: caller.version,
    wire: 'http',
    over,
    offers: (name) => TOOL_CONTRACTS[name].scopes.every(caller.may),
    mayAnswer: caller.may('write'),
    client: async () => client,
    explain: async (error, of) => failure(error, (unknown) => caller.onFailure(of, unknown)),
  });
}

function failure(error: unknown, onUnexpected: (error: Error) => void): string {
  if (error instanceof RequestError || error instanceof UnreachableError) return errorSentence(error);
  onUnexpected(error instanceof Error ? error : new Error(String(error)));
  return 'The tool failed. Try again later.';
}
