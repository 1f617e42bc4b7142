/**
 * Headers of the console's files, the same in the cloud and in the local run. Scripts load from the same origin only;
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

/** Files with a content hash in their name never change; all others are revalidated. */
export function consoleCacheControl(path: string): string {
  return path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain; charset=utf-8'],
  ['woff2', 'font/woff2'],
]);

/** The media type of a console file. */
export function consoleMediaType(path: string): string {
  return MEDIA_TYPES.get(path.slice(path.lastIndexOf('.') + 1)) ?? 'application/octet-stream';
}

/** Paths of the console's pages: each begins with the name of its section. */
export const CONSOLE_PAGE =
  /^\/(?:(?:jobs|compare|questions|stats|environment|projects|templates|rules|profiles|bindings|diagrams|configuration|account|api-tokens|sessions|audit|exports|automations|events|subscriptions|reference|signed-in)(?:\/.*)?)?$/;

/** Paths of its files. */
export const CONSOLE_FILE = /^\/(?:index\.html|icon\.svg|licenses\.txt|assets\/.+)$/;

/**
 * The file for a console path: the file itself, or for a page the one document that contains all pages.
 * @returns undefined for a path that the console doesn't have, such as `/.well-known/…`: programs that look for metadata
 * would take a page for it
 */
export function consoleFile(path: string): string | undefined {
  if (CONSOLE_PAGE.test(path)) return '/index.html';
  return CONSOLE_FILE.test(path) ? path : undefined;
}
