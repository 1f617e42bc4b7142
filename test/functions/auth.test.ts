import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fetchLocalhost } from '../../lib/access/sign-in/localhost-fetch.ts';
import { startIdentityProvider } from '../../lib/local/identity-provider/identity-provider.ts';
import { functionsUnderTest } from './functions-under-test.ts';

let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
const service = functionsUnderTest(
  {
    'auth.sign-in': async () => await import('../../functions/auth/sign-in.ts'),
    'auth.callback': async () => await import('../../functions/auth/callback.ts'),
    'auth.sign-out': async () => await import('../../functions/auth/sign-out.ts'),
    'auth.signed-out': async () => await import('../../functions/auth/signed-out.ts'),
    'session.read': async () => await import('../../functions/session/read.ts'),
    'sessions.list': async () => await import('../../functions/sessions/list.ts'),
    'tokens.create': async () => await import('../../functions/tokens/create.ts'),
    'sessions.end': async () => await import('../../functions/sessions/end.ts'),
  },
  async (url) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    provider = await startIdentityProvider({
      key: { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' },
      clientSecret: 'secret',
      token: 'the-token',
      hostname: 'own.localhost',
      log: () => undefined,
    });
    provider.serve(url);
    const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    await writeFile(join(folder, 'secret'), 'secret');
    return {
      PROMPTQ_PUBLIC_ORIGIN: url,
      PROMPTQ_OIDC_ISSUER: provider.issuer,
      PROMPTQ_OIDC_CLIENT_ID: provider.clientId,
      PROMPTQ_OIDC_CLIENT_SECRET_AT: `file:${join(folder, 'secret')}`,
    };
  },
);
afterAll(async () => await provider.close());

const { ask } = service;
const begin = async (query = '') => {
  const { location, cookies } = await ask(`/auth/sign-in?${query}`);
  const state = new URL(location ?? '').searchParams.get('state') ?? '';
  return { location: location ?? '', cookie: cookies.join('; '), state };
};

test('a sign-in leads back to the page that it began at, and to no other site', async () => {
  const begun = await ask('/auth/sign-in?return_to=/jobs/x');
  expect([begun.status, begun.location?.startsWith(provider.issuer)]).toEqual([303, true]);
  expect(begun.lines).toEqual([
    expect.stringMatching(/^promptq-sign-in-\d+=[\w-]{20,}; Path=\/; Max-Age=600; HttpOnly/),
  ]);
  const away = await ask('/auth/sign-in?return_to=https://evil.example');
  expect([away.status, away.location, away.lines]).toEqual([400, null, []]);
  // The cookie would count for the other name.
  const named = await fetch(`${service.url.replace('127.0.0.1', 'localhost')}/auth/sign-in`, { redirect: 'manual' });
  expect([named.headers.get('location'), named.headers.getSetCookie()]).toEqual([
    `${service.url}/auth/sign-in?return_to=%2F`,
    [],
  ]);
});

test('an answer of the provider that no sign-in waits for sets nothing, and one that refuses ends its sign-in', async () => {
  const unknown = await ask('/auth/callback?state=x&code=y');
  expect([unknown.status, unknown.location, unknown.lines]).toEqual([400, null, []]);
  const { cookie, state } = await begin();
  const iss = encodeURIComponent(provider.issuer);
  const refused = await ask(`/auth/callback?state=${state}&error=access_denied&iss=${iss}`, { cookie });
  expect(refused.lines).toEqual([expect.stringMatching(/^promptq-sign-in-\d+=; Path=\/; Max-Age=0/)]);
  expect(refused.status).toBeGreaterThanOrEqual(400);
});

/** Signs in at the provider. @returns what the callback answers */
async function signIn() {
  const { location, cookie } = await begin('return_to=/jobs/x');
  const begun = await fetchLocalhost(location, { redirect: 'manual' });
  const atProvider = cookiesOf(begun);
  const page = new URL(begun.headers.get('location') ?? '', provider.issuer);
  const headers = { cookie: atProvider, origin: provider.issuer };
  const body = new URLSearchParams({ role: 'admin', token: 'the-token' });
  let next = await fetchLocalhost(page, { method: 'POST', body, headers, redirect: 'manual' });
  for (let to = next.headers.get('location') ?? ''; !to.startsWith(`${service.url}/`); ) {
    const all = [atProvider, cookiesOf(next)].join('; ');
    next = await fetchLocalhost(new URL(to, provider.issuer), { headers: { cookie: all }, redirect: 'manual' });
    to = next.headers.get('location') ?? '';
  }
  return await ask((next.headers.get('location') ?? '').slice(service.url.length), { cookie });
}
const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

test('a session is shown, ended by its own site only, and listed among those that can be ended', async () => {
  const done = await signIn();
  expect([done.status, done.location]).toEqual([303, '/jobs/x']);
  expect(done.cookies).toEqual([
    expect.stringMatching(/^promptq-sign-in-\d+=$/),
    expect.stringMatching(/^promptq=[\w-]{20,}/),
  ]);
  const cookie = done.cookies[1] ?? '';
  const shown = await ask('/api/v1/session', { cookie });
  expect(shown.body).toMatchObject({ kind: 'session', role: 'admin', scopes: null, session_id: expect.any(String) });
  expect(Date.parse(String(shown.body.expires_at))).toBeGreaterThan(Date.now());
  const other = { cookie: (await signIn()).cookies[1] ?? '', origin: service.url };
  const { items } = (await ask('/api/v1/sessions', { cookie })).body as { items: { id: string; current: boolean }[] };
  expect(items.map((item) => item.current).toSorted()).toEqual([false, true]);

  const end = async (origin: string) => await ask('/auth/sign-out', { cookie, origin }, { method: 'POST' });
  const foreign = await end('https://evil.example');
  expect([foreign.status, foreign.lines]).toEqual([403, []]);
  expect((await ask('/api/v1/session', { cookie })).status).toBe(200);
  const own = await end(service.url);
  expect([own.status, own.location, own.cookies]).toEqual([303, '/auth/signed-out', ['promptq=']]);
  expect((await ask('/api/v1/session', { cookie })).status).toBe(401);
  const again = await end(service.url);
  expect([again.status, again.location]).toEqual([303, '/auth/signed-out']);

  const create = async (body: object) => {
    const headers = { ...other, 'content-type': 'application/json' };
    return (await ask('/api/v1/tokens', headers, { method: 'POST', body: JSON.stringify(body) })).body;
  };
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const ends = await create({ name: 'a', scopes: ['logs', 'read'], expires_at });
  expect(ends).toMatchObject({ scopes: ['read', 'logs'], expires_at });
  expect(await create({ name: 'b' })).toMatchObject({ expires_at: null });

  const path = `/api/v1/sessions/${items.find((item) => !item.current)?.id}`;
  const third = { ...other, cookie: (await signIn()).cookies[1] ?? '' };
  expect((await ask(path, third, { method: 'DELETE' })).status).toBe(204);
  expect((await ask(path, third, { method: 'DELETE' })).status).toBe(404);
  expect((await ask('/api/v1/session', other)).status).toBe(401);
});

test('the page after a sign-out says so, also where the provider cannot end its session', async () => {
  for (const path of ['/auth/signed-out', '/auth/signed-out?everywhere=1']) {
    const { status, location, text } = await ask(path);
    expect([status, location, text.includes('<title>You are signed out')]).toEqual([200, null, true]);
  }
});
