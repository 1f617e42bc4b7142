/**
 * Headers of the console's files, the same in the cloud and in the local run. Scripts come from files of our own only;
 * Cloudscape and xterm set styles at run time.
 */
export const CONSOLE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** Files whose name carries a hash of their content never change; all else is asked for anew. */
export function consoleCacheControl(path: string): string {
  return path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['woff2', 'font/woff2'],
]);

/** What a file of the console is. */
export function consoleMediaType(path: string): string {
  return MEDIA_TYPES.get(path.slice(path.lastIndexOf('.') + 1)) ?? 'application/octet-stream';
}

/** What an address of a file ends with, unlike that of a page. */
export const FILE_NAME = /\/[^/]*\.[^/]+$/;

/** What a console address shows: its file, or for an address of a page the one document that all pages are in. */
export function consoleFile(path: string): string {
  return FILE_NAME.test(path) ? path : '/index.html';
}
