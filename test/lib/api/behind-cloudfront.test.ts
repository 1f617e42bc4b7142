import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { originDigest } from '../../../lib/access/origin-proof.ts';
import { SessionStore } from '../../../lib/access/sessions/session-store.ts';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import { wholePath } from '../../../lib/contract/route.ts';
import { pages, routes } from '../../../lib/contract/routes/routes.ts';
import { startDynamodbEmulator } from '../../../lib/local/emulators/dynamodb-emulator.ts';
import { startObjectAndQueueEmulator } from '../../../lib/local/emulators/object-and-queue-emulator.ts';
import { divertOutput } from '../../../lib/local/gateway/function-log.ts';
import { type Gateway, startGateway } from '../../../lib/local/gateway/gateway.ts';
import { applyEnv, localEnv } from '../../../lib/local/run/local-env.ts';
import { createResources } from '../../../lib/local/run/resources.ts';
import { newRunCredentials } from '../../../lib/local/run-access/run-credentials.ts';
import { tableClient } from '../../../lib/platform/aws/clients.ts';
import { ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../../../lib/platform/config/edge-headers.ts';
import { sourceOf } from '../../../lib/stacks/functions/bundle-functions.ts';
import { startParameterStore } from '../../stand-ins/parameter-store.ts';

/** The exported handlers as they run in the cloud: behind CloudFront, with the values that its stack stores. */
const [SECRET, FORMER] = ['s'.repeat(43), 'f'.repeat(43)] as const;
const ORIGIN = 'https://d111.cloudfront.example';
const SERVICE_ENDPOINTS = '/promptq-data/whereabouts';
const ended: (() => Promise<unknown> | unknown)[] = [];
let gateway: Gateway;
let logFile: string;
let store: Awaited<ReturnType<typeof startParameterStore>>;
let credentials: { readonly token: string; readonly cookie: string };

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const runCredentials = newRunCredentials();
  const dynamodb = await startDynamodbEmulator({
    credentials: runCredentials,
    folder: join(home, 'dynamodb'),
    env: {},
    log: () => undefined,
  });
  const others = await startObjectAndQueueEmulator(join(home, 's3'), runCredentials);
  store = await startParameterStore();
  const endpoints = { dynamodb: dynamodb.endpoint, objectsAndQueues: others.endpoint, credentials: runCredentials };
  const resources = await createResources(endpoints);
  const cloud = {
    AWS_ENDPOINT_URL_SSM: store.endpoint,
    PROMPTQ_SECRETS: 'ssm:/promptq-data',
    PROMPTQ_ORIGIN_DIGESTS: [SECRET, FORMER].map(originDigest).join(','),
    PROMPTQ_WHEREABOUTS_AT: `ssm:${SERVICE_ENDPOINTS}`,
  };
  applyEnv({ ...localEnv(home, resources, endpoints, {}), ...cloud }, process.env);
  const registry = { ...tableClient(), registryTable: resources.registryTable };
  const { token } = await new TokenStore(registry).create({ name: 'test', scopes: ['admin'] });
  const sessions = new SessionStore({ ...registry, idleSeconds: 3_600, maxSeconds: 3_600 });
  const { cookie } = await sessions.start({ subject: 'ada', email: undefined, role: 'admin' });
  credentials = { token, cookie: `__Host-promptq=${cookie}` };
  logFile = join(home, 'api.log');
  const restoreOutput = divertOutput(logFile, () => undefined);
  gateway = await startGateway({
    port: 0,
    routes: [...routes, ...pages],
    load: async (id) => await import(new URL(`../../../${sourceOf(id)}`, import.meta.url).href),
    log: () => undefined,
  });
  ended.push(gateway.close, restoreOutput, store.close, others.close, dynamodb.stop);
  ended.push(() => rm(home, { recursive: true, force: true }));
});
afterAll(async () => {
  for (const end of ended) await end();
});
beforeEach(() => {
  store.calls.length = 0;
});

async function ask(path: string, headers: Record<string, string> = {}, init: RequestInit = {}) {
  const answer = await fetch(`${gateway.url}${path}`, { redirect: 'manual', ...init, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
const known = (secret = SECRET) => ({ [ORIGIN_SECRET_HEADER]: secret });
const authorized = () => ({ authorization: `Bearer ${credentials.token}` });

describe('the address behind CloudFront', () => {
  const served = [...routes, ...pages].map((route) => ({
    name: route.id,
    method: route.method,
    path: wholePath(route).replaceAll(/\{[a-z_]+\}/g, 'x'),
  }));
  const all = [...served, { name: 'what no route maps', method: 'GET', path: '/nowhere' }];

  it.each(all)(
    '$name rejects requests with a missing or wrong secret, whatever credential they have',
    async (route) => {
      const wrong = [{}, known(`${SECRET}x`), known(''), known(originDigest(SECRET))];
      for (const headers of wrong) {
        const { status, text, ...answer } = await ask(
          route.path,
          { ...authorized(), ...headers },
          { method: route.method },
        );
        expect([status, JSON.parse(text)]).toEqual([403, { error: 'forbidden', request_id: expect.any(String) }]);
        expect(answer.headers.get('x-request-id')).toBe(JSON.parse(text).request_id);
      }
    },
  );

  it('accepts requests through CloudFront, also while the secret is replaced', async () => {
    for (const secret of [SECRET, FORMER]) {
      const { status, headers } = await ask('/api/v1/health', { ...authorized(), ...known(secret) });
      expect(status).toBe(200);
      expect(headers.get('strict-transport-security')).toContain('max-age=');
      expect((await ask('/api/v1/health', known(secret))).status).toBe(401);
    }
  });

  it('audits callers with the address that CloudFront reports', async () => {
    const from = { ...authorized(), ...known(), [VIEWER_ADDRESS_HEADER]: '203.0.113.7' };
    await ask('/api/v1/tokens', from, { method: 'POST', body: '{}' });
    await ask('/api/v1/codex-account/cancel', from, { method: 'POST' });
    const { text } = await ask('/api/v1/audit-logs', { ...authorized(), ...known() });
    expect(JSON.parse(text).items[0]).toMatchObject({ source_ip: '203.0.113.7' });
  });
});

describe('what a function logs of a request', () => {
  const written = async (id: string | null) => {
    const lines = (await readFile(logFile, 'utf8')).trim().split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line)).find(({ request_id }) => request_id === id);
  };
  const from = (address: string) => ({ [VIEWER_ADDRESS_HEADER]: address });

  it("has the viewer's address beside the request id that API Gateway's access log has", async () => {
    const let_in = await ask('/api/v1/health', { ...authorized(), ...known(), ...from('203.0.113.7') });
    const refused = await ask('/api/v1/health', { ...known(), ...from('2001:DB8:0::7') });
    const unmapped = await ask('/api/v1/nowhere', { ...authorized(), ...known(), ...from('203.0.113.8') });
    const lines = [let_in, refused, unmapped].map(({ headers }) => written(headers.get('x-request-id')));
    expect(await Promise.all(lines)).toMatchObject([
      { message: 'answered', source_ip: '203.0.113.7' },
      { message: 'refused', source_ip: '2001:db8::7' },
      { message: 'refused', source_ip: '203.0.113.8' },
    ]);
  });

  it('ignores an address header that bypassed CloudFront', async () => {
    const { status, headers } = await ask('/api/v1/health', { ...authorized(), ...from('203.0.113.7') });
    expect([status, (await written(headers.get('x-request-id'))).source_ip]).toEqual([403, '127.0.0.1']);
  });
});

describe('what the functions read on demand', () => {
  const write = (text: object) =>
    store.parameters.set(SERVICE_ENDPOINTS, { type: 'String', value: JSON.stringify(text) });
  const signIn = () => ask('/auth/sign-in', known());
  const signedOut = () => ask('/auth/signed-out', known());
  const suspend = (origin: string) =>
    ask('/api/v1/tokens/tok_x/suspend', { ...known(), cookie: credentials.cookie, origin }, { method: 'POST' });

  it("is not read by functions that don't need it", async () => {
    await ask('/api/v1/health', { ...authorized(), ...known() });
    await ask('/api/v1/jobs', { ...authorized(), ...known() }, { method: 'POST', body: '{"prompt":"x","draft":true}' });
    await ask('/api/v1/session', { ...known(), cookie: credentials.cookie });
    expect(store.calls).toEqual([]);
  });

  it('is read by each call until it exists, then cached', async () => {
    const early = await signIn();
    expect([early.status, early.text]).toEqual([503, expect.stringContaining('Sign-in is not set up')]);
    expect((await signedOut()).status).toBe(503);
    expect((await suspend(ORIGIN)).status).toBe(403);
    // The sign-in itself has other tests.
    const issuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf';
    write({ public_origin: ORIGIN, issuer, client_id: 'client' });
    expect((await signedOut()).text).toContain('"/auth/signed-out?everywhere=1"');
    expect((await suspend(ORIGIN)).status).toBe(404);
    expect((await suspend('https://evil.example')).status).toBe(403);
    store.calls.length = 0;
    await signedOut();
    await suspend(ORIGIN);
    expect(store.calls).toEqual([]);
  });
});
