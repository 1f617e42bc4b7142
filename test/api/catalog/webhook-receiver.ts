import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A call as it came in. */
export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An external server that receives calls, and answers each with the status and headers that `answer` returns. */
export async function startReceiver(
  answer: (call: ReceivedCall, earlier: number) => readonly [status: number, headers?: Record<string, string>],
) {
  const calls: ReceivedCall[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() };
      const [status, headers] = answer(call, calls.filter(({ path }) => path === call.path).length);
      calls.push(call);
      response.writeHead(status, headers).end('answered');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Those to a path, in order. */
    to: (path: string) => calls.filter((call) => call.path === path),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The payload of a call, checked by the library that a receiver would use. @throws if it is not signed with the secret */
// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads freely
export function verified(call: ReceivedCall | undefined, secret: string): any {
  if (call === undefined) throw new Error('there was no call');
  const headers = Object.fromEntries(Object.entries(call.headers).map(([name, value]) => [name, String(value)]));
  return new Webhook(secret).verify(call.body, headers);
}
