import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import * as z from 'zod';
import { hostUnder } from '../gateway/browser-name.ts';
import { isOwnConnection } from '../run-access/connection-owner.ts';
import { hasForeignOrigin } from '../run-access/foreign-callers.ts';

/** A running identity provider. */
interface LocalIdentityProvider {
  /** Such as `http://promptq-NAME.localhost:40123`. */
  readonly issuer: string;
  readonly clientId: string;
  /** Sets the service's origin, which browsers return to; until then sign-in does not work. */
  serve(publicOrigin: string): void;
  close(): Promise<void>;
}

const CLIENT_ID = 'promptq-console';

/**
 * Starts the local run's identity provider on a loopback port: it knows one operator, who signs in with one click. Most
 * runs never see a sign-in, so everything but the port is deferred to the first one.
 * @param options.key a private signing key, as a JWK
 * @param options.token the operator's token, where the connection doesn't identify the user
 */
export async function startIdentityProvider(options: {
  key: object;
  clientSecret: string;
  token: string;
  /** The only host name that it serves. */
  hostname: string;
  /**
   * A fixed port, which others forward to the operator's browser. Connections don't identify the user then, so the token
   * is always asked for. Default: any free port.
   */
  forwardedPort?: number | undefined;
  log: (line: string) => void;
}): Promise<LocalIdentityProvider> {
  const { promise: publicOrigin, resolve: serve } = Promise.withResolvers<string>();
  const isOwn = options.forwardedPort === undefined ? isOwnConnection : async () => false;
  let opening: Promise<RequestListener> | undefined;
  const server = createServer((request, response) => {
    const isOwnHost = request.headers.host?.toLowerCase() === hostUnder(options.hostname, request.socket.localPort);
    if (!isOwnHost || hasForeignOrigin(request)) return void response.writeHead(403).end();
    opening ??= publicOrigin.then(async (origin) => {
      const { openProvider } = await import('./provider.ts');
      return openProvider({ isOwn, ...options, issuer, clientId: CLIENT_ID, publicOrigin: origin });
    });
    opening.then(
      (listener) => listener(request, response),
      (error: unknown) => {
        options.log(`the sign-in could not be opened: ${error instanceof Error ? error.stack : String(error)}`);
        response.writeHead(500).end();
      },
    );
  });
  server.listen(options.forwardedPort ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://${options.hostname}:${z.object({ port: z.number() }).parse(server.address()).port}`;
  return {
    issuer,
    clientId: CLIENT_ID,
    serve,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
