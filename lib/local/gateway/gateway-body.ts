import type { IncomingMessage } from 'node:http';
import { ClientGoneError } from './client-gone-error.ts';

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
