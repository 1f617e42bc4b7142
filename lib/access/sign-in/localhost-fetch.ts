import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/**
 * `fetch` for plain-http names under `.localhost`, without redirects. Browsers resolve these names to this machine (RFC
 * 6761), but not every system resolver does, and `fetch` accepts neither a resolver nor a Host header.
 */
export async function fetchLocalhost(input: string | URL, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input);
  if (url.protocol !== 'http:' || !url.hostname.endsWith('.localhost')) return await fetch(url, init);
  // Encodes the body and sets its content type, as `fetch` does.
  const { method, headers, body } = new Request(url, init);
  const sent = httpRequest({
    method,
    host: '127.0.0.1',
    port: url.port,
    // The server may close a kept-alive connection just as it is reused.
    agent: false,
    path: `${url.pathname}${url.search}`,
    headers: { ...Object.fromEntries(headers), host: url.host },
    ...(init.signal && { signal: init.signal }),
  });
  sent.end(Buffer.from(await new Response(body).arrayBuffer()));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const answered = new Headers();
  for (let at = 0; at < answer.rawHeaders.length; at += 2)
    answered.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  const status = answer.statusCode ?? 0;
  const content = await buffer(answer);
  return new Response(content.length === 0 ? null : new Uint8Array(content), { status, headers: answered });
}
