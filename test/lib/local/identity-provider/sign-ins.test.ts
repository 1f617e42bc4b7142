import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchLocalhost } from '../../../../lib/access/sign-in/localhost-fetch.ts';
import { startIdentityProvider } from '../../../../lib/local/identity-provider/identity-provider.ts';
import { isLinux } from '../../../../lib/platform/platform-name.ts';

const ORIGIN = 'http://127.0.0.1:1';
const logged: string[] = [];
async function start(key: object) {
  const options = { clientSecret: 'secret', token: 'the-token', hostname: 'own.localhost' };
  const started = await startIdentityProvider({ ...options, key, log: (line) => logged.push(line) });
  started.serve(ORIGIN);
  return started;
}
let provider: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  provider = await start({ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' });
});
afterAll(async () => await provider.close());

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
const at = (answer: Response) => new URL(answer.headers.get('location') ?? '', provider.issuer);

/** Begins a sign-in. @returns what a person does on its page */
async function begin() {
  const request = new URLSearchParams({
    ...{ client_id: provider.clientId, redirect_uri: `${ORIGIN}/auth/callback`, response_type: 'code' },
    ...{ scope: 'openid email profile', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
  });
  const begun = await fetchLocalhost(`${provider.issuer}/auth?${request}`, { redirect: 'manual' });
  const cookie = cookiesOf(begun);
  const page = at(begun);
  return {
    look: async () => await fetchLocalhost(page, { headers: { cookie } }),
    choose: async (form: Record<string, string>, headers: Record<string, string> = {}) =>
      await fetchLocalhost(page, {
        ...{ method: 'POST', body: new URLSearchParams(form), redirect: 'manual' },
        headers: { cookie, origin: provider.issuer, ...headers },
      }),
    cookie,
  };
}

/** The claims about a person who has chosen a role. */
async function claimsFor(role: string): Promise<Record<string, unknown>> {
  const { choose, cookie } = await begin();
  let next = await choose({ role, token: 'the-token' });
  while (!at(next).href.startsWith(ORIGIN))
    next = await fetchLocalhost(at(next), {
      headers: { cookie: [cookie, cookiesOf(next)].join('; ') },
      redirect: 'manual',
    });
  const code = at(next).searchParams.get('code') ?? '';
  const authorization = `Basic ${Buffer.from(`${provider.clientId}:secret`).toString('base64')}`;
  const answer = await fetchLocalhost(`${provider.issuer}/token`, {
    ...{ method: 'POST', headers: { authorization } },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: `${ORIGIN}/auth/callback` },
      code_verifier: 'v'.repeat(43),
    }),
  });
  const { id_token: token } = (await answer.json()) as { id_token: string };
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

test('each choice signs a person in with the group of that role, for ten minutes', async () => {
  for (const [role, groups] of [
    ['admin', ['promptq-admins']],
    ['viewer', ['promptq-viewers']],
    ['stranger', []],
  ] as const) {
    const claims = await claimsFor(role);
    const email = `${role}@promptq.local`;
    expect(claims).toMatchObject({ sub: role, email, email_verified: true, 'cognito:groups': groups });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(600);
  }
});

test.skipIf(!isLinux())("the page asks the run's user for no token, and refuses an unknown role", async () => {
  const { look, choose } = await begin();
  const page = await look();
  const text = await page.text();
  expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'same-origin']);
  expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${ORIGIN}`);
  expect([text.includes('name="token"'), text.includes('role="alert"')]).toEqual([false, false]);
  const refused = await choose({ role: 'root' });
  expect([refused.status, (await refused.text()).includes('That was not right.')]).toEqual([403, true]);
  // As long as a form may be at most, and one byte more.
  const most = 'x'.repeat(2_000 - 'role=admin&more='.length);
  expect((await choose({ role: 'admin', more: `${most}x` })).status).toBe(403);
  expect((await choose({ role: 'admin', more: most })).status).toBe(303);
});

test('a choice is refused from another site or without a pending sign-in', async () => {
  const { choose } = await begin();
  expect((await choose({ role: 'admin' }, { origin: 'https://evil.example' })).status).toBe(403);
  const unknown = await choose({ role: 'admin' }, { cookie: '' });
  expect([unknown.status, at(unknown).href]).toEqual([303, `${ORIGIN}/auth/sign-in`]);
});

test('a provider with a broken key answers 500 and logs the reason', async () => {
  const broken = await start({ kty: 'none' });
  expect((await fetchLocalhost(`${broken.issuer}/auth`)).status).toBe(500);
  expect(logged).toEqual([expect.stringMatching(/^the sign-in could not be opened: /)]);
  await broken.close();
});
