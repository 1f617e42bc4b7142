import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { originDigest } from '../../../../lib/access/origin-proof.ts';
import { bypassedCloudFront } from '../../../../lib/api/bypassed-cloudfront.ts';
import { mcpCaller } from '../../../../lib/api/mcp/mcp-caller.ts';
import { recordAudit } from '../../../../lib/api/record-audit.ts';
import type { Core } from '../../../../lib/api/runtime/core.ts';
import { requireListed } from '../../../../lib/api/runtime/create-accounts.ts';
import { deploymentFacts } from '../../../../lib/api/runtime/create-overview.ts';
import { createSignIn } from '../../../../lib/api/runtime/create-sign-in.ts';
import { createVerifiers } from '../../../../lib/api/runtime/create-verifiers.ts';

/** What the functions of the API have, as far as a test gives it. */
const core = (parts: object): Core => parts as Core;
const anEvent = (headers: object, more: object = {}) =>
  ({ headers, requestContext: { identity: { sourceIp: '192.0.2.7' } }, ...more }) as unknown as APIGatewayProxyEvent;

it('sign-in is opened once for an identity provider, and again for another one', async () => {
  let origin: string | undefined = 'https://own.example';
  let registration: object | undefined = { issuer: 'https://login.example', clientId: 'a' };
  const serviceEndpoints = { publicOrigin: async () => origin, registration: async () => registration };
  const signIn = createSignIn(core({ serviceEndpoints, env: {} }), { withSecret: false });
  const first = await signIn();
  registration = { ...registration };
  expect([first === undefined, (await signIn()) === first]).toEqual([false, true]);
  registration = { issuer: 'https://login.example', clientId: 'b' };
  const second = await signIn();
  origin = 'https://new.example';
  const third = await signIn();
  expect(new Set([first, second, third]).size).toBe(3);
  registration = undefined;
  expect(await signIn()).toBeUndefined();
  [origin, registration] = [undefined, { issuer: 'https://login.example', clientId: 'b' }];
  expect(await signIn()).toBeUndefined();
});

it('a token and a session are the principal that they prove, with the facts that they have', async () => {
  const token = { id: 'tok_1', name: 'ci', scopes: ['read'], lineage: 'hash' };
  const session = { id: 's', name: 'user:a', subject: 'a', role: 'viewer', expires_at: '2027-01-01T00:00:00.000Z' };
  let [known, visited]: (object | undefined)[] = [undefined, undefined];
  const verifiers = createVerifiers(
    core({ tokens: { verify: async () => known }, sessions: { verify: async () => visited }, env: {} }),
  );
  const caller = { event: anEvent({}), headers: {} };
  const both = async () => [await verifiers.token('x', caller), await verifiers.session('x', caller)];
  expect(await both()).toEqual([undefined, undefined]);
  [known, visited] = [token, session];
  const shown = { kind: 'session', name: 'user:a', role: 'viewer', sessionId: 's', expiresAt: session.expires_at };
  expect(await both()).toEqual([
    { kind: 'token', id: 'tok_1', name: 'token:ci', scopes: ['read'], keyOwner: 'token hash' },
    { ...shown, keyOwner: 'user a' },
  ]);
  [known, visited] = [
    { ...token, expires_at: '2027-01-01T00:00:00.000Z' },
    { ...session, email: 'a@b' },
  ];
  expect(await both()).toMatchObject([{ expiresAt: '2027-01-01T00:00:00.000Z' }, { email: 'a@b' }]);
});

it("the deployment's proxy is known by its token, at the address that is trusted", async () => {
  const proxy = 'p'.repeat(32);
  const at = async (behindCloudFront: boolean) => {
    const secrets = { lines: async () => [proxy] };
    const env = { PROMPTQ_PERIMETER_SOURCES: ['203.0.113.0/24'] };
    const headers = { 'x-perimeter-token': proxy, 'x-promptq-viewer': '203.0.113.9' };
    return await createVerifiers(core({ secrets, env, behindCloudFront })).perimeter(proxy, {
      event: anEvent(headers),
      headers,
    });
  };
  expect([await at(true), await at(false)]).toEqual([{ kind: 'perimeter', name: 'perimeter' }, undefined]);
});

it('only where CloudFront is in front, a request without its secret has bypassed it', () => {
  const env = { PROMPTQ_ORIGIN_DIGESTS: [originDigest('secret')] };
  const of = (behindCloudFront: boolean, headers: object) =>
    bypassedCloudFront(anEvent(headers), core({ env, behindCloudFront }));
  const known = { 'X-Promptq-Origin': 'secret' };
  expect([of(true, {}), of(true, known), of(false, {})]).toEqual([true, false, false]);
});

it('what a caller did is recorded with the path parameters, cut and well formed', async () => {
  const recorded: object[] = [];
  const audit = { record: async (entry: object) => void recorded.push(entry) };
  const principal = { kind: 'perimeter', name: 'perimeter' } as const;
  const pathParameters = { id: `${'a'.repeat(199)}😀`, name: 'a%2Fb' };
  await recordAudit(core({ audit, behindCloudFront: false }), anEvent({}, { pathParameters }), {
    ...{ principal, action: 'things.read', status: 200, requestId: 'r' },
  });
  expect(recorded).toEqual([
    {
      ...{ actor: 'perimeter', action: 'things.read', status: 200, requestId: 'r', sourceIp: '192.0.2.7' },
      target: { id: `${'a'.repeat(199)}\ufffd`, name: 'a/b' },
    },
  ]);
});

it('a vendor that the deployment does not list has no account', () => {
  const require = (listed: readonly string[]) =>
    requireListed(core({ env: { PROMPTQ_ACCOUNT_VENDORS: listed } }), 'codex');
  expect(() => require(['codex'])).not.toThrow();
  expect(() => require([])).toThrow('not_found');
});

it('the region of a local run is "local"', () => {
  const of = (PROMPTQ_RUN_HOME?: string) =>
    deploymentFacts(core({ env: { AWS_REGION: 'eu-test-1', ...(PROMPTQ_RUN_HOME && { PROMPTQ_RUN_HOME }) } })).region;
  expect([of(), of('/home')]).toEqual(['eu-test-1', 'local']);
});

it('the MCP server calls the public address in the name of the token, and nothing else', async () => {
  const answer = async (parts: { link?: string; origin?: string; token?: string }) => {
    const env = { PROMPTQ_LINK_ORIGIN: parts.link, PROMPTQ_VERSION: '1', PROMPTQ_API_SCOPE_ENFORCE: true };
    const serviceEndpoints = { publicOrigin: async () => parts.origin };
    const failed: unknown[] = [];
    const log = { error: (...all: unknown[]) => failed.push(all) };
    const principal = { kind: 'token', name: 'token:ci', id: 't', scopes: ['read'] } as const;
    const call = { principal, apiToken: () => parts.token, core: { log }, requestId: 'r' };
    const caller = await mcpCaller(core({ env, serviceEndpoints }))(call as never);
    return { ...caller, failed };
  };
  const { baseUrl, token, version, may, onFailure, failed } = await answer({ origin: 'https://own', token: 'x' });
  expect([baseUrl, token, version, may('read'), may('write')]).toEqual(['https://own', 'x', '1', true, false]);
  const error = new Error('no');
  onFailure('read_job', error);
  expect(failed).toEqual([['a tool failed', { of: 'read_job', error, request_id: 'r' }]]);
  expect((await answer({ link: 'https://link', origin: 'https://own', token: 'x' })).baseUrl).toBe('https://link');
  for (const lacking of [{ token: 'x' }, { origin: 'https://own' }])
    await expect(answer(lacking)).rejects.toMatchObject({
      code: 'unavailable',
      details: { failed: ['public_origin'] },
    });
});
