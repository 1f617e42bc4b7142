import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { functionsUnderTest } from './functions-under-test.ts';

const ORIGIN = 'https://promptq.example.com';
const ISSUER = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_pool';
const HOSTED = 'https://team.auth.eu-west-1.amazoncognito.com';

const original = globalThis.fetch;
beforeAll(() => {
  // The user pool's own description; everything else is asked as usual.
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    if (!String(input instanceof Request ? input.url : input).startsWith(ISSUER)) return await original(input, init);
    const endpoints = ['authorize', 'token', 'userInfo'].map((name) => [
      `${name}_endpoint`,
      `${HOSTED}/oauth2/${name}`,
    ]);
    const described = { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks`, ...Object.fromEntries(endpoints) };
    const { authorize_endpoint: authorization_endpoint, ...rest } = described as Record<string, string>;
    return Response.json({ ...rest, authorization_endpoint, response_types_supported: ['code'] });
  });
});
afterAll(() => vi.unstubAllGlobals());

const service = functionsUnderTest(
  {
    'auth.sign-in': async () => await import('../../functions/auth/sign-in.ts'),
    'auth.signed-out': async () => await import('../../functions/auth/signed-out.ts'),
  },
  () => ({ PROMPTQ_PUBLIC_ORIGIN: ORIGIN, PROMPTQ_OIDC_ISSUER: ISSUER, PROMPTQ_OIDC_CLIENT_ID: 'client' }),
);

test('behind CloudFront, which asks under another host name, a sign-in begins at once', async () => {
  const { status, location, lines } = await service.ask('/auth/sign-in');
  expect([status, location?.startsWith(`${HOSTED}/oauth2/authorize?`)]).toEqual([303, true]);
  expect(lines).toEqual([expect.stringMatching(/^__Host-promptq-sign-in-\d+=[\w-]{20,}; Path=\/; .*Secure/)]);
});

test('a user pool ends its own session only when asked to', async () => {
  const page = await service.ask('/auth/signed-out');
  expect([page.status, page.location]).toEqual([200, null]);
  expect(page.text).toContain('/auth/signed-out?everywhere=1');
  const { status, location } = await service.ask('/auth/signed-out?everywhere=1');
  expect([status, location?.startsWith(`${HOSTED}/logout?`)]).toEqual([303, true]);
  expect(new URL(location ?? '').searchParams.get('logout_uri')).toBe(`${ORIGIN}/auth/signed-out`);
});
