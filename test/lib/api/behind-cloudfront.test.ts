import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { originDigest } from '../../../lib/access/origin-secret.ts';
import { SessionStore } from '../../../lib/access/sessions/session-store.ts';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import { wholePath } from '../../../lib/contract/route.ts';
import { doors } from '../../../lib/contract/routes/routes.ts';
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
    routes: doors,
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
  const served = doors.map((route) => ({
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
