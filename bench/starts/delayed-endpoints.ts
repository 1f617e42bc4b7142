import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The prefix of the SDK's variables that name endpoints. */
const ENDPOINT = 'AWS_ENDPOINT_URL';

/** An environment whose services answer later. */
export interface DelayedEndpoints {
  readonly env: Readonly<Record<string, string | undefined>>;
  stop(): void;
}

/**
 * The environment with each of its emulators behind a proxy on a loopback port that passes every request on after
 * `delay` ms: an emulator answers at once, and a service of AWS within some milliseconds.
 */
export async function delayEndpoints(
  env: Readonly<Record<string, string | undefined>>,
  delay: number,
): Promise<DelayedEndpoints> {
  const servers: Server[] = [];
  const changed: Record<string, string | undefined> = { ...env };
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(ENDPOINT) || value === undefined) continue;
    const server = proxyOf(new URL(value), delay).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    changed[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  return {
    env: changed,
    stop() {
      for (const server of servers) server.close().closeAllConnections();
    },
  };
}

function proxyOf({ hostname, port }: URL, delay: number): Server {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((asked, answer) => {
    setTimeout(() => {
      const { method, url, headers } = asked;
      const passed = request({ hostname, port, path: url, method, headers, agent }, (received) => {
        answer.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      asked.pipe(passed);
    }, delay);
  });
  return server.on('close', () => agent.destroy());
}
