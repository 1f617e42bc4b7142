import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { Listener } from '../../lib/accounts/account.ts';
import { type LoginPrompt, NONCE_HEADER } from '../../lib/accounts/ask-login.ts';

/** Serves the state of a login to a caller that presents its nonce. */
export interface LoginListener {
  readonly where: Listener;
  close(): Promise<void>;
}

interface ListenOptions {
  /** `loopback`: this machine only; `private`: the task's address in its network, open to a single function. */
  readonly network: 'loopback' | 'private';
  /** 0: any free port. */
  readonly port: number;
  readonly prompt: () => LoginPrompt;
}

export async function listenForLogin({ network, port, prompt }: ListenOptions): Promise<LoginListener> {
  const nonce = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    const isAllowed =
      request.headers.origin === undefined &&
      request.url === '/login' &&
      isSame(String(request.headers[NONCE_HEADER] ?? ''), nonce);
    response.writeHead(isAllowed ? 200 : 403, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      connection: 'close',
    });
    response.end(isAllowed ? JSON.stringify(prompt()) : '');
  });
  const address = network === 'loopback' ? '127.0.0.1' : privateAddress();
  server.listen(port, address);
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the login listens on no port');
  return {
    where: { address, port: bound.port, nonce },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function isSame(given: string, nonce: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(nonce)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @throws Error if the machine has none */
function privateAddress(): string {
  // 169.254.0.0/16 belongs to Fargate's own services.
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'));
  if (found === undefined) throw new Error('this machine has no address in a network');
  return found.address;
}
