import type { IncomingMessage } from 'node:http';

export interface ListenerNames {
  /** Hosts, with the port unless it is the scheme's own, that the listener has besides its loopback address. */
  readonly hosts?: readonly string[];
  /** Whether `localhost` names the listener too. */
  readonly localhost?: boolean;
}

/**
 * Whether a request names a host that isn't this listener's: a page whose own name now leads to loopback (DNS
 * rebinding) sends such a one.
 */
export function hasForeignHost({ headers, socket }: IncomingMessage, names: ListenerNames = {}): boolean {
  const { hosts = [], localhost = false } = names;
  const own = localhost ? ['127.0.0.1', 'localhost'] : ['127.0.0.1'];
  const port = socket.localPort === 80 ? '' : `:${socket.localPort}`;
  const given = headers.host?.toLowerCase();
  return given === undefined || ![...own.map((name) => `${name}${port}`), ...hosts].includes(given);
}

/** Whether a request comes from a web page of another origin than the listener's. */
export function hasForeignOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}
