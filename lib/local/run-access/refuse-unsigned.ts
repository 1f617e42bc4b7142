import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Refusal, SignatureCheck } from './signature-check.ts';

/** Answers a refused request in the format of its service, so that an SDK reports the reason. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const isJson = request.headers['x-amz-target'] !== undefined || request.method === 'OPTIONS';
  const body = isJson
    ? JSON.stringify({ __type: `com.amazon.coral.service#${refusal.code}`, message: refusal.message })
    : `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${refusal.code}</Code><Message>${refusal.message}</Message></Error>`;
  response.writeHead(403, {
    'content-type': isJson ? 'application/x-amz-json-1.0' : 'application/xml',
    'content-length': Buffer.byteLength(body),
    // What is left of the body is not read.
    connection: 'close',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  request.resume();
}

/**
 * Lets only requests through to a server's listeners that this run has signed. Bodies are not read, so that they can be
 * streamed: their hash is what the signed header says.
 */
export function admitSigned(server: Server, check: SignatureCheck): void {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    check.refusalOf(request).then(
      (refusal) => {
        if (refusal !== undefined) return sendRefusal(request, response, refusal);
        for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
      },
      () => response.destroy(),
    );
  });
}
