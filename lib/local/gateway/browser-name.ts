import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE_HEADERS, renderPage } from '../../api/pages/page.ts';
import { isOwnConnection } from '../run-access/connection-owner.ts';
import { splitTarget } from './gateway-event.ts';

/** The Host header of a listener's requests under this name. */
export function hostUnder(name: string, port: number | undefined): string {
  return port === 80 ? name : `${name}:${port}`;
}

/**
 * Limits cookies and pages to one host name. Under the listener's other names the API works without cookies, and pages
 * redirect to that name, for this process's user only.
 * @returns whether the request should be answered; otherwise this has answered it
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
