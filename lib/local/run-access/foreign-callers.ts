import type { IncomingMessage } from 'node:http';

interface ListenerNames {
  /** Hosts that the listener has besides its loopback address, with the port unless it is the scheme's default. */
  readonly hosts?: readonly string[];
  /** Whether `localhost` names the listener too. */
  readonly localhost?: boolean;
}

/**
 * Whether a request names a host that isn't this listener's, as a page does whose domain now resolves to loopback (DNS
 * rebinding).
 */
export function hasForeignHost({ headers, socket }: IncomingMessage, names: ListenerNames = {}): boolean {
  const { hosts = [], localhost = false } = names;
  const own = localhost ? ['127.0.0.1', 'localhost'] : ['127.0.0.1'];
  const port = socket.localPort === 80 ? '' : `:${socket.localPort}`;
  const given = headers.host?.toLowerCase();
  return given === undefined || ![...own.map((name) => `${name}${port}`), ...hosts].includes(given);
}

/** Whether a request comes from a web page of another origin. */
export function hasForeignOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}
