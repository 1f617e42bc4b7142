/**
 * Headers of every API response: no caching, no framing, no content sniffing and no access for other sites. There are no
 * CORS headers, so browsers on other sites can't read responses.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Added if the service uses TLS: browsers insist on it for two years. */
export const TLS_ONLY_HEADERS = { 'strict-transport-security': 'max-age=63072000' } as const;
