import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  CONSOLE_HEADERS,
  consoleCacheControl,
  consoleFile,
  consoleMediaType,
} from '../../../../lib/platform/config/console-headers.ts';
import { coreEnv } from '../../../../lib/platform/config/core-env.ts';
import {
  originSecretEnv,
  publishConsoleEnv,
  scaleEnv,
  sweepEnv,
} from '../../../../lib/platform/config/function-env.ts';
import { readEnv, secretVariables } from '../../../../lib/platform/config/read-env.ts';
import { secretPlaces, secretsPath } from '../../../../lib/platform/config/secrets-path.ts';
import { workerEnv } from '../../../../lib/platform/config/worker-env.ts';
import { accountsFor, workerSizeSchema } from '../../../../lib/platform/config/worker-size.ts';

it('a file of the console is that file, with its type and how long it stays; a page is the one document', () => {
  const paths = ['/', '/jobs/1', '/index.html', '/assets/a-1b.js', '/assets/a.css', '/icon.svg', '/assets/c.woff2'];
  expect(paths.map((path) => [consoleFile(path), consoleMediaType(path), consoleCacheControl(path)])).toEqual([
    ['/index.html', 'application/octet-stream', 'no-cache'],
    ['/index.html', 'application/octet-stream', 'no-cache'],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/assets/a-1b.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/a.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/assets/c.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
  ]);
  expect(consoleMediaType('/a.txt')).toBe('application/octet-stream');
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

it('a choice of the environment has its words', () => {
  const words = ['milliseconds', 'seconds', 'minutes', 'hours', 'practice', 'real', undefined];
  const taken = (name: 'PROMPTQ_TIMEOUT_UNIT' | 'PROMPTQ_VENDOR') =>
    words.filter((word) => coreEnv.shape[name].safeParse(word).success);
  expect(taken('PROMPTQ_TIMEOUT_UNIT')).toEqual(['milliseconds', 'seconds', 'minutes']);
  expect(taken('PROMPTQ_VENDOR')).toEqual(['practice', 'real', undefined]);
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

it('folders and numbers without a default have their limits', () => {
  const ranges = [
    [workerEnv.shape.PROMPTQ_SLOT_UID, ['1000', '2000000000', undefined], ['999', '2000000001', '1000.5']],
    [workerEnv.shape.PROMPTQ_IDLE_SECONDS, ['0.5', '86400', undefined], ['0', '86401']],
    [sweepEnv.shape.PROMPTQ_RETENTION_DAYS, ['0', '0.5', '36500', undefined], ['-1', '36501']],
    [workerEnv.shape.PROMPTQ_SECRETS_PATH, ['/a/', '//', undefined], ['/', '/a', 'a/']],
    [originSecretEnv.shape.ORIGIN_SECRET_FOLDER, ['/a', '/a/b'], ['/', '/a/', 'a', undefined]],
    [workerEnv.shape.PROMPTQ_WORK_DIR, ['/a', undefined], ['a', '']],
    [scaleEnv.shape.WORKER_SUBNETS, ['a', 'a,b'], ['', undefined]],
  ] as const;
  for (const [field, taken, refused] of ranges)
    expect([...taken, ...refused].filter((value) => field.safeParse(value).success)).toEqual(taken);
  expect(scaleEnv.shape.WORKER_SUBNETS.parse('a,b')).toEqual(['a', 'b']);
  expect(sweepEnv.shape.PROMPTQ_RETENTION_DAYS.parse(undefined)).toBe(0);
});

it('an image has a quarter more accounts than slots, and a thousand at least', () => {
  expect([0, 800, 801, 10_000].map(accountsFor)).toEqual([1_000, 1_000, 1_002, 12_500]);
});

it('a worker has a size that Fargate offers', () => {
  const offered: Record<string, number[]> = {
    0.25: [0.5, 1, 2],
    0.5: [1, 2, 3, 4],
    1: [2, 3, 4, 5, 6, 7, 8],
    2: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    4: [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30],
    8: [16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60],
    16: [32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120],
  };
  const sizes = [0.5, ...Array.from({ length: 150 }, (_, at) => at)];
  const taken = Object.keys(offered).map((vcpus) => [
    vcpus,
    sizes.filter((memoryGb) => workerSizeSchema.safeParse({ vcpus: Number(vcpus), memoryGb }).success),
  ]);
  expect(Object.fromEntries(taken)).toEqual(offered);
  expect(workerSizeSchema.safeParse({ vcpus: 3 }).success).toBe(false);
  expect(workerSizeSchema.parse({})).toEqual({ vcpus: 1, memoryGb: 4 });
  expect(workerSizeSchema.safeParse({ vcpus: 8 }).error?.issues).toMatchObject([
    { path: ['memoryGb'], message: 'with 8 vCPU, Fargate offers 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60 GB' },
  ]);
  const disks = [20, 21, 200, 201, 30.5].filter((diskGb) => workerSizeSchema.safeParse({ diskGb }).success);
  expect(disks).toEqual([21, 200]);
});
