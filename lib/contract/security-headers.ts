/**
 * Headers of every answer of the API: none is kept by a cache, shown in a frame, run as something else than it is, or read
 * by another site. No header of CORS is among them: browsers of other sites get nothing.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Beside them where the service is reached by TLS: for two years browsers come by no other way. */
export const TLS_ONLY_HEADERS = { 'strict-transport-security': 'max-age=63072000' } as const;
