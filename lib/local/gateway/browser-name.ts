import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE_HEADERS, renderPage } from '../../api/page.ts';
import type { Home } from '../run/home.ts';
import { isOwnConnection } from '../run-access/connection-owner.ts';
import { splitTarget } from './gateway-event.ts';

/**
 * The host name under which browsers find a home's run: random, because a server on another port that knew it could
 * have the browser's cookies sent there. Browsers resolve names under `.localhost` to this machine without DNS.
 */
export async function browserName(home: Home): Promise<string> {
  const label = await home.keep('browser-name', () => `promptq-${randomBytes(16).toString('hex')}`);
  return `${label}.localhost`;
}

/** What a listener's requests name as their host under this name. */
export function hostUnder(name: string, port: number | undefined): string {
  return port === 80 ? name : `${name}:${port}`;
}

/**
 * Keeps what a browser holds and shows to one host name. Under the listener's other names the API works, without
 * cookies; pages lead to that name, for the user of this process only.
 * @returns whether the request is to be answered; else this has answered it
 */
export async function admitUnder(name: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const host = hostUnder(name, request.socket.localPort);
  if (request.headers.host?.toLowerCase() === host) return true;
  const { path, query } = splitTarget(request.url ?? '/');
  if (/^\/api(\/|$)/.test(path)) {
    removeCookies(request);
    return true;
  }
  request.resume();
  const isVisit = request.method === 'GET' || request.method === 'HEAD';
  if (isVisit && path.startsWith('/') && (await isOwnConnection(request.socket)))
    response.writeHead(302, { ...PAGE_HEADERS, location: `http://${host}${path}${query && `?${query}`}` }).end();
  else response.writeHead(403, PAGE_HEADERS).end(renderPage(ELSEWHERE));
  return false;
}

/** Names no address: other users of this machine may see it. */
const ELSEWHERE = {
  title: 'The console has another address',
  paragraphs: [
    'Open the address that was shown when the service started. It also stands in local.json in its home, as console_url.',
  ],
};

function removeCookies(request: IncomingMessage): void {
  delete request.headers.cookie;
  const raw = request.rawHeaders;
  request.rawHeaders = raw.filter((_, at) => raw[at - (at % 2)]?.toLowerCase() !== 'cookie');
}
