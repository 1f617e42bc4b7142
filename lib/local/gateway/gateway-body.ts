import type { IncomingMessage } from 'node:http';
import { ClientGoneError } from './client-gone-error.ts';

/** How long a refused client may go on sending before it is cut off, in milliseconds. */
const LINGER = 2_000;

/**
 * Reads a request's body into memory.
 * @returns undefined as soon as it is or will be longer than allowed; the rest is left unread
 * @throws ClientGoneError
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (announcedBytes(request) > maxBytes) return undefined;
  const received: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early must not close the connection: the refusal still has to go through it.
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

/** What the client says it will send; 0 if it doesn't say. */
export function announcedBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

/**
 * Takes in and drops what a refused client still sends, for a moment: closing a connection with unread bytes would reset
 * it, and the client might never see the answer.
 */
export function drainThenClose(request: IncomingMessage): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
  request.resume();
}
