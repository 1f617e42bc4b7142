/**
 * Where programs reach the API of the page's service. The local run keeps the name that browsers use to itself, so it
 * must not stand in a command, whose arguments other users of the machine can read.
 */
export function apiOrigin({
  origin,
  protocol,
  hostname,
  port,
}: Pick<URL, 'origin' | 'protocol' | 'hostname' | 'port'>): string {
  return hostname.endsWith('.localhost') ? `${protocol}//127.0.0.1:${port}` : origin;
}

/**
 * A command that creates a job with this body. The body goes through a here-document whose delimiter is quoted, so that
 * the shell reads nothing in it; no line of the JSON can be the delimiter, as each begins with a brace, bracket or space.
 * @param origin of the service, such as `https://jobs.example.com`
 */
export function curlLine(origin: string, body: unknown): string {
  return [
    `curl -sS '${origin.replaceAll("'", "'\\''")}/api/v1/jobs' \\`,
    `  -H "Authorization: Bearer $PROMPTQ_TOKEN" \\`,
    `  -H 'Content-Type: application/json' --data-binary @- <<'JSON'`,
    JSON.stringify(body, null, 2),
    'JSON',
    '',
  ].join('\n');
}
