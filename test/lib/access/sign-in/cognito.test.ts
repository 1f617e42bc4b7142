import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { IdentityProvider, SignInRefusedError } from '../../../../lib/access/sign-in/identity-provider.ts';
import { IdentityProviderError } from '../../../../lib/access/sign-in/identity-provider-error.ts';
import { personOfClaims } from '../../../../lib/access/sign-in/sign-in.ts';
import { ROLES } from '../../../../lib/contract/roles.ts';
import { DEFAULT_GROUPS } from '../../../../lib/platform/config/deployment.ts';

/** A loopback stand-in that publishes, takes and gives what a Cognito user pool documents, with its peculiarities. */
const CLIENT = '1example23456789';
const CALLBACK = 'https://d111.cloudfront.example/auth/callback';
const PROOF = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) };
const server = createServer();
let issuer: string;
let exchanged: { readonly form: URLSearchParams; readonly authorization: string | undefined };
let claims: Record<string, unknown>;
/** With what the provider refuses to exchange a code. */
let refusal: string | undefined;
/** How long its ID tokens are valid. */
let validSeconds: number;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'k1' };
  const answers: Record<string, (body: string, authorization?: string) => Promise<object> | object> = {
    '/pool/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/oauth2/token`,
      end_session_endpoint: `${issuer}/logout`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code', 'token'],
      scopes_supported: ['openid', 'email', 'phone', 'profile'],
      subject_types_supported: ['public'],
      // A public client is nowhere mentioned.
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    }),
    '/pool/.well-known/jwks.json': () => ({ keys: [jwk] }),
    '/pool/oauth2/token': async (body, authorization) => {
      exchanged = { form: new URLSearchParams(body), authorization };
      if (refusal !== undefined) return { error: refusal };
      const idToken = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuedAt()
        .setExpirationTime(new Date(Date.now() + validSeconds * 1000))
        .sign(privateKey);
      return {
        id_token: idToken,
        access_token: 'opaque',
        refresh_token: 'opaque',
        expires_in: 300,
        token_type: 'Bearer',
      };
    },
  };
  server.on('request', (request, response) => {
    void text(request).then(async (body) => {
      const answer = answers[new URL(request.url ?? '', 'http://x').pathname];
      const given = answer && (await answer(body, request.headers.authorization));
      const status = given === undefined ? 404 : 'error' in given ? 401 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(given));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pool`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
beforeEach(() => {
  refusal = undefined;
  validSeconds = 300;
  claims = {
    iss: issuer,
    aud: CLIENT,
    sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    token_use: 'id',
    nonce: PROOF.nonce,
    'cognito:username': 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    'cognito:groups': [DEFAULT_GROUPS.viewer, DEFAULT_GROUPS.admin],
    email: 'ada@example.com',
    email_verified: true,
    auth_time: Math.floor(Date.now() / 1000),
  };
});

const provider = () =>
  new IdentityProvider({ issuer, clientId: CLIENT, clientSecret: async () => undefined, redirectUri: CALLBACK });
const back = new URLSearchParams({ code: 'c', state: PROOF.state });

it('is asked for a code that is bound to the browser, and for a fresh sign-in if requested', async () => {
  const url = new URL(await provider().authorizationUrl(PROOF, { fresh: true }));
  expect(url.origin + url.pathname).toBe(`${issuer}/oauth2/authorize`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: CLIENT,
    redirect_uri: CALLBACK,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    prompt: 'login',
  });
  const silent = new URL(await provider().authorizationUrl(PROOF, { fresh: false }));
  expect(silent.searchParams.get('prompt')).toBeNull();
});

it('names the user and the groups to a client without a secret', async () => {
  const person = personOfClaims(await provider().claims(back, PROOF), {
    claim: 'cognito:groups',
    groups: new Map(ROLES.map((role) => [role, DEFAULT_GROUPS[role]])),
  });
  expect(person).toEqual({ subject: claims.sub, email: 'ada@example.com', role: 'admin' });
  expect(exchanged.authorization).toBeUndefined();
  expect(Object.fromEntries(exchanged.form)).toEqual({
    grant_type: 'authorization_code',
    client_id: CLIENT,
    code: 'c',
    code_verifier: PROOF.codeVerifier,
    redirect_uri: CALLBACK,
  });
});

it.each([
  ['of another sign-in', { nonce: 'x'.repeat(43) }],
  ['for another client', { aud: 'another' }],
  ['of another pool', { iss: 'https://cognito-idp.eu-central-1.amazonaws.com/other' }],
])('is rejected with a token %s', async (_, wrong) => {
  claims = { ...claims, ...wrong };
  await expect(provider().claims(back, PROOF)).rejects.toBeInstanceOf(IdentityProviderError);
});

it('may have a clock that differs by a minute, and by no more', async () => {
  validSeconds = -50;
  expect(await provider().claims(back, PROOF)).toMatchObject({ sub: claims.sub });
  validSeconds = -70;
  await expect(provider().claims(back, PROOF)).rejects.toBeInstanceOf(IdentityProviderError);
});

it('refuses a sign-in in its own words; another failure of its is no refusal', async () => {
  const sentBack = async (error: Record<string, string>) =>
    await provider()
      .claims(new URLSearchParams({ ...error, state: PROOF.state }), PROOF)
      .catch((thrown) => thrown);
  const cancelled = await sentBack({ error: 'access_denied', error_description: 'the user has cancelled' });
  expect(cancelled).toEqual(new SignInRefusedError('the user has cancelled'));
  expect(await sentBack({ error: 'access_denied' })).toEqual(new SignInRefusedError('access_denied'));
  refusal = 'invalid_grant';
  await expect(provider().claims(back, PROOF)).rejects.toEqual(new SignInRefusedError('invalid_grant'));
  refusal = 'server_error';
  await expect(provider().claims(back, PROOF)).rejects.toThrow('(OAUTH_RESPONSE_BODY_ERROR)');
});
