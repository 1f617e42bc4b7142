import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Refusal, SignatureCheck } from './signature-check.ts';

/** Rejects a request in the format of its service, so that an SDK reports the reason. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const isJson = request.headers['x-amz-target'] !== undefined || request.method === 'OPTIONS';
  const body = isJson
    ? JSON.stringify({ __type: `com.amazon.coral.service#${refusal.code}`, message: refusal.message })
    : `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${refusal.code}</Code><Message>${refusal.message}</Message></Error>`;
  response.writeHead(403, {
    'content-type': isJson ? 'application/x-amz-json-1.0' : 'application/xml',
    'content-length': Buffer.byteLength(body),
    // The rest of the body is not read.
    connection: 'close',
  });
  response.end(body);
}

/**
 * Admits only requests that this run has signed to a server's listeners. Bodies are not read, so that they can be
 * streamed: the signed header gives their hash.
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
