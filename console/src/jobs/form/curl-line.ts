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

/**
 * A command that creates a job with this body. The body is a here-document with a quoted delimiter, so the shell
 * expands nothing in it. No line of the JSON equals the delimiter, since each begins with a brace, bracket or space.
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
