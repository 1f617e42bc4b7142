import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS } from '../../contract/errors.ts';
import { ClientGoneError, drainThenClose, splitTarget } from './gateway-event.ts';
import { LambdaThrottledError, TimedOutError } from './gateway-invocation.ts';
import { sendGatewayError, sendGatewayErrorAndEnd } from './gateway-response.ts';

/** A request, its response, and the id that both name. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

/** @returns what is wrong with the request's Host header; undefined: nothing */
export function checkHost({ headersDistinct, httpVersion }: IncomingMessage): string | undefined {
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1) return 'the request names two hosts';
  return hosts === 0 && httpVersion === '1.1' ? 'the request names no host' : undefined;
}

/** Responds with a status and an error, and discards the body. */
export function rejectRequest({ request, response, requestId }: Exchange, status: number, error: string): void {
  request.resume();
  sendGatewayError(response, status, error, requestId);
}

/** API Gateway's response to a request for another host. */
export function rejectForeign(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  request.resume();
  sendGatewayError(response, 403, "this host name is not the service's; PROMPTQ_PUBLIC_ORIGIN can name it", requestId);
}

/** Also closes the connection, where the body was not read. */
export function rejectTooMany(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const { status, word } = ERRORS.too_many_requests;
  request.resume();
  sendGatewayError(response, status, word, requestId);
}

/** Responds to a request that is too large, and closes its connection. */
export function rejectSize({ request, requestId }: Exchange): void {
  sendGatewayErrorAndEnd(request.socket, 413, 'Invalid request size', requestId);
  drainThenClose(request);
}

/**
 * Maps failures to the cloud's statuses: 502 for a failed function, 504 for a slow one, 500 for one that Lambda does
 * not run (https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html). A response that has started
 * is cut off.
 */
export function failRequest(
  { request, response, requestId }: Exchange,
  error: unknown,
  log: (line: string) => void,
): void {
  if (!(error instanceof ClientGoneError)) {
    log(`${request.method} ${splitTarget(request.url ?? '').path} failed (request ${requestId}): ${describe(error)}`);
  }
  if (response.headersSent || response.destroyed) response.destroy();
  else if (error instanceof TimedOutError) sendGatewayError(response, 504, 'timed_out', requestId);
  else if (error instanceof LambdaThrottledError)
    sendGatewayError(response, ERRORS.internal_error.status, ERRORS.internal_error.word, requestId);
  else sendGatewayError(response, ERRORS.function_failed.status, ERRORS.function_failed.word, requestId);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const PROTOCOL_FAULTS = new Map<string, { status: number; word: string }>([
  ['HPE_HEADER_OVERFLOW', ERRORS.headers_too_large],
  ['ERR_HTTP_REQUEST_TIMEOUT', ERRORS.request_timeout],
]);

/** Responds to bytes that are no HTTP request. */
export function rejectMalformed(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const known = PROTOCOL_FAULTS.get(fault.code ?? '');
  const { status, word } = known ?? { status: 400, word: 'the request is not valid HTTP' };
  sendGatewayErrorAndEnd(socket, status, word, randomUUID());
}
