import { afterEach, expect, test, vi } from 'vitest';
import { admitUnder, hostUnder } from '../../../../lib/local/gateway/browser-name.ts';
import { isLinux } from '../../../../lib/platform/platform-name.ts';
import { answeringServer } from './answering-server.ts';

const NAME = 'promptq-1.localhost';
/** Answers what it admits with the cookies that are left. */
const server = answeringServer(async (request, response) => {
  if (!(await admitUnder(NAME, request, response))) return;
  const raw = request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const left = ['cookie', 'x-a'].filter((name) => raw.includes(name));
  response.end(JSON.stringify([request.headers.cookie ?? null, ...left]));
});
afterEach(() => void vi.unstubAllEnvs());

const sent = { cookie: 'a=b', 'x-a': 'cookie' };
const named = () => ({ ...sent, host: `${NAME.toUpperCase()}:${server.port}` });
const visit = async (method: string, path: string) => {
  const { status, headers, text } = await server.ask(method, path, sent);
  return [status, headers.location ?? text.includes('<title>The console has another address')];
};

test('pages and cookies are admitted under the name, and the API under others without cookies', async () => {
  for (const path of ['/jobs', '/api/v1/jobs', '/auth/sign-in'])
    expect(JSON.parse((await server.ask('GET', path, named())).text)).toEqual(['a=b', 'cookie', 'x-a']);
  for (const path of ['/api', '/api/v1/jobs'])
    expect(JSON.parse((await server.ask('POST', path, sent)).text)).toEqual([null, 'x-a']);
});

test.skipIf(!isLinux())("a visit of this user's browser leads to the name, and nothing else does", async () => {
  const own = `http://${NAME}:${server.port}`;
  expect(await visit('GET', '/jobs?a=1')).toEqual([302, `${own}/jobs?a=1`]);
  expect(await visit('HEAD', '/apiary')).toEqual([302, `${own}/apiary`]);
  expect(await visit('POST', '/jobs')).toEqual([403, true]);
  expect(await visit('GET', 'http://127.0.0.1')).toEqual([403, true]);
});

test('where the system does not say whose a connection is, no visit leads to the name', async () => {
  vi.stubEnv('PROMPTQ_PLATFORM', 'darwin-arm64');
  expect(await visit('GET', '/jobs')).toEqual([403, true]);
});

test('the port of HTTP is no part of the host', () => {
  expect([hostUnder(NAME, 80), hostUnder(NAME, 8_080)]).toEqual([NAME, `${NAME}:8080`]);
});
