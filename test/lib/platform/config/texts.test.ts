import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  CONSOLE_HEADERS,
  consoleCacheControl,
  consoleFile,
  consoleMediaType,
} from '../../../../lib/platform/config/console-headers.ts';
import { publishConsoleEnv } from '../../../../lib/platform/config/function-env.ts';
import { readEnv, secretVariables } from '../../../../lib/platform/config/read-env.ts';
import { secretPlaces, secretsPath } from '../../../../lib/platform/config/secrets-path.ts';

it('a file of the console is that file, with its type and how long it stays; a page is the one document', () => {
  const paths = [
    '/',
    '/jobs/1',
    '/index.html',
    '/assets/a-1b.js',
    '/assets/a.css',
    '/icon.svg',
    '/licenses.txt',
    '/assets/c.woff2',
  ];
  expect(paths.map((path) => [consoleFile(path), consoleMediaType(path), consoleCacheControl(path)])).toEqual([
    ['/index.html', 'application/octet-stream', 'no-cache'],
    ['/index.html', 'application/octet-stream', 'no-cache'],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/assets/a-1b.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/a.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/licenses.txt', 'text/plain; charset=utf-8', 'no-cache'],
    ['/assets/c.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
  ]);
  expect(consoleMediaType('/a.bin')).toBe('application/octet-stream');
});

it('every page of the console has a path, whatever the ids in it, and nothing else has one', async () => {
  const source = await readFile('console/src/pages.tsx', 'utf8');
  const pages = [...source.matchAll(/<Route path="(\/[^"]*)"/g)].map(([, path = '']) =>
    path.replaceAll(/:\w+/g, 'a.b'),
  );
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((path) => consoleFile(path) !== '/index.html')).toEqual([]);
  const machines = ['/.well-known/oauth-protected-resource/api/v1/mcp', '/.well-known/security.txt', '/authorize'];
  const others = ['/register', '/robots.txt', '/favicon.ico', '/openapi.json', '/mcp', '/jobsx', '/.env', ''];
  expect([...machines, ...others].filter((path) => consoleFile(path) !== undefined)).toEqual([]);
});

it('a page of the console loads scripts of its own origin only, and no other site frames it or shares its window', () => {
  expect(CONSOLE_HEADERS).toEqual({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
      "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  });
});

it("a profile's own secret comes before the shared one", () => {
  expect(secretPlaces('KEY', 'build')).toEqual(['build/KEY', 'KEY']);
  expect(secretPlaces('KEY', undefined)).toEqual(['KEY']);
  expect(secretsPath({ deploymentName: 'team' })).toBe('/promptq/team/secrets/');
});

it('the secrets of an environment have the names that profiles use, and are not empty', () => {
  const source = { PROMPTQ_SECRET_A: 'a', PROMPTQ_SECRET_B: '', PROMPTQ_SECRET_C: undefined, SECRET_D: 'd' };
  expect(secretVariables({ ...source, X_PROMPTQ_SECRET_E: 'e' })).toEqual({ A: 'a' });
});

it('all faults of an environment are listed at once', () => {
  expect(() => readEnv(publishConsoleEnv, { CONSOLE_BUCKET: '', CONSOLE_FOLDER: 'folder' })).toThrow(
    /^the environment of this process is not complete:\n {2}CONSOLE_BUCKET: .+\n {2}CONSOLE_FOLDER: .+$/,
  );
  expect(readEnv(publishConsoleEnv, { CONSOLE_BUCKET: 'b' })).toEqual({
    CONSOLE_BUCKET: 'b',
    CONSOLE_FOLDER: '/var/task/console',
    PROMPTQ_S3_PATH_STYLE: false,
  });
});
