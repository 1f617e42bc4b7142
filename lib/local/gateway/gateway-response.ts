import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { ERRORS } from '../../contract/errors.ts';
import { SECURITY_HEADERS } from '../../contract/security-headers.ts';

/** A header's value from a function; API Gateway writes numbers and booleans as text. */
const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Status and headers, of a buffered response or at the start of a streamed one. */
export const responseHead = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  cookies: z.array(z.string()).nullish(),
});
type ResponseHead = z.output<typeof responseHead>;

const proxyResponse = responseHead.extend({ body: z.string().nullish(), isBase64Encoded: z.boolean().nullish() });

/** Set by the transport only. */
const HOP_BY_HOP = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer']);

/**
 * Sends a buffered function's response.
 * @throws Error, with nothing sent, if it is not a valid proxy integration response
 */
export function sendProxyResponse(response: ServerResponse, returned: unknown): void {
  const answer = proxyResponse.parse(returned);
  const body = Buffer.from(answer.body ?? '', answer.isBase64Encoded === true ? 'base64' : 'utf8');
  const headers = headerList(answer);
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type'))
    headers.push(['content-type', 'application/json']);
  if (mayHaveBody(answer.statusCode)) headers.push(['content-length', String(body.length)]);
  response.writeHead(answer.statusCode, headers.flat());
  response.end(mayHaveBody(answer.statusCode) ? body : undefined);
}

/** Sends status and headers of a streamed response. */
export function sendHead(response: ServerResponse, head: ResponseHead): void {
  response.writeHead(head.statusCode, headerList(head).flat());
  response.flushHeaders();
}

/** Sends an error of the gateway itself, in the shape of the API's errors. */
export function sendGatewayError(response: ServerResponse, status: number, error: string, requestId: string): void {
  const body = errorBody(error, requestId);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...SECURITY_HEADERS,
    ...(status === ERRORS.too_many_requests.status && { 'retry-after': '1' }),
    'x-request-id': requestId,
  });
  response.end(body);
}

/** The same on a connection whose request can't be read to its end: responds and closes our side of it. */
export function sendGatewayErrorAndEnd(socket: Duplex, status: number, error: string, requestId: string): void {
  const body = errorBody(error, requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function errorBody(error: string, requestId: string): string {
  return JSON.stringify({ error, request_id: requestId });
}

/** A name in both is taken from `multiValueHeaders`. */
function headerList({ headers, multiValueHeaders, cookies }: ResponseHead): [string, string][] {
  const multiple = Object.entries(multiValueHeaders ?? {});
  const taken = new Set(multiple.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {}).filter(([name]) => !taken.has(name.toLowerCase()));
  const all: [string, string][] = [
    ...single,
    ...multiple.flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
    ...(cookies ?? []).map((cookie): [string, string] => ['set-cookie', cookie]),
  ];
  return all.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()));
}

function mayHaveBody(status: number): boolean {
  return status !== 204 && status !== 304;
}
