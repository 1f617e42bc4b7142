import { expect, it } from 'vitest';
import { SECURITY_HEADERS, TLS_ONLY_HEADERS } from '../../lib/contract/security-headers.ts';

// By OWASP's HTTP headers cheat sheet for an API whose answers no page shows.
it('answers can be neither kept, framed, sniffed nor read by other sites', () => {
  expect(SECURITY_HEADERS).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  expect(TLS_ONLY_HEADERS).toEqual({ 'strict-transport-security': `max-age=${2 * 365 * 86_400}` });
});
