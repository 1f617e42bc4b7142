import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface UnreliableProxy {
  readonly url: string;
  /** Requests that arrived, as `METHOD path`. */
  readonly requests: readonly string[];
  /** How many of them were dropped, and how many responses were cut. */
  readonly faults: { dropped: number; cut: number };
  stop(): Promise<void>;
}

export interface Faults {
  /** Drops each n-th request: by turns before the service gets it, and after the service has answered it. */
  readonly dropEach?: number;
  /** Cuts each response after so many bytes or milliseconds. */
  readonly cutAfterBytes?: number;
  readonly cutAfterMs?: number;
  /** Answers so many requests with a status before the first that is passed on. */
  readonly refuse?: { readonly status: number; count: number; readonly headers?: Record<string, string> };
}

/** A proxy before a service that loses requests and cuts responses off. */
export async function startUnreliableProxy(target: string, faults: Faults): Promise<UnreliableProxy> {
  const requests: string[] = [];
  const counts = { dropped: 0, cut: 0 };
  const server = createServer((incoming, answer) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    if (faults.refuse !== undefined && faults.refuse.count > 0) {
      faults.refuse.count -= 1;
      answer.writeHead(faults.refuse.status, faults.refuse.headers).end();
      return;
    }
    const isDropped = faults.dropEach !== undefined && requests.length % faults.dropEach === 0;
    if (isDropped) counts.dropped += 1;
    if (isDropped && counts.dropped % 2 === 1) return void incoming.socket.destroy();
    const cut = () => {
      counts.cut += 1;
      incoming.socket.destroy();
    };
    const timer = faults.cutAfterMs === undefined ? undefined : setTimeout(cut, faults.cutAfterMs);
    // The response is complete, the client has left, or the connection was cut.
    answer.on('close', () => clearTimeout(timer));
    passOn(new URL(incoming.url ?? '/', target), incoming, (response) => {
      if (isDropped) response.resume().once('end', () => incoming.socket.destroy());
      else deliver(response, answer, { bytes: faults.cutAfterBytes ?? Number.POSITIVE_INFINITY, cut });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults: counts,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function passOn(url: URL, incoming: IncomingMessage, onResponse: (response: IncomingMessage) => void): void {
  const { host: _, connection: __, ...headers } = incoming.headers;
  const outgoing = httpRequest(url, { method: incoming.method, headers, agent: false }, onResponse);
  outgoing.on('error', () => incoming.socket.destroy());
  incoming.on('close', () => !incoming.complete && outgoing.destroy());
  incoming.pipe(outgoing);
}

function deliver(
  response: IncomingMessage,
  answer: ServerResponse,
  { bytes, cut }: { readonly bytes: number; readonly cut: () => void },
): void {
  answer.writeHead(response.statusCode ?? 502, response.headers);
  let left = bytes;
  response.on('data', (chunk: Buffer) => {
    const isCut = chunk.length > left;
    answer.write(chunk.subarray(0, left), () => isCut && cut());
    left -= chunk.length;
    if (isCut) response.destroy();
  });
  response.on('error', () => answer.destroy());
  response.on('end', () => answer.end());
  answer.on('close', () => response.destroy());
}
