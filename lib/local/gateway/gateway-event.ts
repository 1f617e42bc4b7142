import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Match } from './gateway-resources.ts';

/**
 * How a request becomes an event. The body is read into memory up to the limit, and target, headers and query become
 * the event of API Gateway's proxy integration, with its rules for repeated names. A client that sends too much may
 * finish sending for a moment, so that it sees the answer; one that has disconnected gets none.
 */

const STAGE = 'local';

/** Splits a request target, also in the absolute form that proxies send. */
export function splitTarget(target: string): { path: string; query: string } {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [beforeFragment = ''] = local.split('#');
  const mark = beforeFragment.indexOf('?');
  if (mark === -1) return { path: beforeFragment, query: '' };
  return { path: beforeFragment.slice(0, mark), query: beforeFragment.slice(mark + 1) };
}

/**
 * The event that API Gateway's REST APIs pass to a function (proxy integration, payload version 1.0). Without binary media
 * types the body is always text, in which U+FFFD replaces bytes that are not UTF-8.
 */
export function proxyEvent(
  request: IncomingMessage,
  { match, requestId, body }: { match: Match; requestId: string; body: Buffer },
): APIGatewayProxyEvent {
  const { path, query } = splitTarget(request.url ?? '/');
  const method = request.method ?? 'GET';
  const headers = multiValueHeaders(request.rawHeaders);
  const parameters = multiValueQuery(query);
  const now = new Date();
  return {
    resource: match.resource,
    path,
    httpMethod: method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: emptyAsNull(lastValues(parameters)),
    multiValueQueryStringParameters: emptyAsNull(parameters),
    pathParameters: emptyAsNull({ ...match.pathParameters }),
    stageVariables: null,
    body: body.length === 0 ? null : body.toString('utf8'),
    isBase64Encoded: false,
    requestContext: {
      accountId: '000000000000',
      apiId: STAGE,
      authorizer: null,
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: STAGE,
      extendedRequestId: requestId,
      httpMethod: method,
      identity: {
        ...NO_IDENTITY,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: request.headers['user-agent'] ?? null,
      },
      path: `/${STAGE}${path}`,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: now.toUTCString(),
      requestTimeEpoch: now.getTime(),
      resourceId: match.functionId,
      resourcePath: match.resource,
      stage: STAGE,
    },
  };
}

const NO_IDENTITY = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/** Each name in the client's first spelling, values in the order sent. */
function multiValueHeaders(raw: readonly string[]): Record<string, string[]> {
  const byName = new Map<string, { name: string; values: string[] }>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const entry = byName.get(name.toLowerCase()) ?? { name, values: [] };
    entry.values.push(raw[at + 1] ?? '');
    byName.set(name.toLowerCase(), entry);
  }
  return Object.fromEntries([...byName.values()].map(({ name, values }) => [name, values]));
}

function multiValueQuery(query: string): Record<string, string[]> {
  const pairs = [...new URLSearchParams(query)];
  const byName = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, found]) => [name, found.map(([, value]) => value)]));
}

function lastValues(values: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));
}

function emptyAsNull<T extends object>(values: T): T | null {
  return Object.keys(values).length === 0 ? null : values;
}

/** Milliseconds that a rejected client may continue to send before it is disconnected. */
const LINGER_MS = 2_000;

/**
 * Reads a request's body into memory.
 * @returns undefined as soon as the body exceeds, or announces that it will exceed, the limit; the rest is not read
 * @throws ClientGoneError
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (announcedBytes(request) > maxBytes) return undefined;
  const received: Buffer[] = [];
  let bytes = 0;
  // Ending the loop early must not close the connection: the error response still has to be sent.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      received.push(chunk);
    }
  } catch (cause) {
    throw new ClientGoneError({ cause });
  }
  return Buffer.concat(received);
}

/** The announced size of the body; 0 if there is none. */
export function announcedBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

/**
 * Reads and discards the rest of a rejected request for a moment: closing a connection with unread bytes resets it, and
 * the client might never see the response.
 */
export function drainThenClose(request: IncomingMessage): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  request.resume();
}

/** The client disconnected before its response: no fault, not logged. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor(options?: ErrorOptions) {
    super('the client has gone', options);
  }
}
