import { shellWord } from './shell-word.ts';

/**
 * The origin at which programs reach the API. The host name that browsers use for a local run is confidential and must
 * not appear in a command, whose arguments other users of the machine can read.
 */
export function apiOrigin({
  origin,
  protocol,
  hostname,
  port,
}: Pick<URL, 'origin' | 'protocol' | 'hostname' | 'port'>): string {
  return hostname.endsWith('.localhost') ? `${protocol}//127.0.0.1:${port}` : origin;
}

/** A request to the API. `path` is relative to its base path, with its query. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/**
 * A command that sends a request. The body is a here-document with a quoted delimiter, so the shell expands nothing in
 * it. No line of the JSON equals the delimiter, since each begins with a brace, bracket or space.
 * @param origin of the service, such as `https://jobs.example.com`
 */
export function curlLine(origin: string, { method, path, body }: ApiRequest): string {
  const usual = body === undefined ? 'GET' : 'POST';
  const call = `curl -sS${method === usual ? '' : ` -X ${method}`} ${shellWord(`${origin}/api/v1${path}`)} \\`;
  const token = `  -H "Authorization: Bearer $PROMPTQ_TOKEN"`;
  if (body === undefined) return [call, token, ''].join('\n');
  return [
    call,
    `${token} \\`,
    `  -H 'Content-Type: application/json' --data-binary @- <<'JSON'`,
    JSON.stringify(body, null, 2),
    'JSON',
    '',
  ].join('\n');
}
