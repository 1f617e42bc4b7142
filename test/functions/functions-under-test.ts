import { afterAll, beforeAll, vi } from 'vitest';
import { TokenStore } from '../../lib/access/tokens/token-store.ts';
import { doors } from '../../lib/contract/routes/routes.ts';
import type { Scope } from '../../lib/contract/scopes.ts';
import { type Gateway, type GatewayLimits, startGateway } from '../../lib/local/gateway/gateway.ts';
import { type EmulatedDeployment, emulateDeployment } from '../stand-ins/emulated-deployment.ts';

/**
 * Functions behind a gateway, over emulated tables, without the rest of the service.
 * @param load how each is imported, by the id of its route: written out, so that its test is found by its imports
 * @param settings of the functions' environment, once the address is known
 * @param limits of the gateway
 */
export function functionsUnderTest(
  load: Readonly<Record<string, () => Promise<unknown>>>,
  settings: (url: string) => Promise<Record<string, string>> | Record<string, string> = () => ({}),
  limits: Partial<GatewayLimits> = {},
) {
  let deployment: EmulatedDeployment;
  let gateway: Gateway;
  beforeAll(async () => {
    deployment = await emulateDeployment();
    gateway = await startGateway({
      port: 0,
      routes: doors.filter(({ id }) => load[id] !== undefined),
      load: async (id) => await load[id]?.(),
      log: () => undefined,
      limits,
    });
    const environment = { ...deployment.variables, ...(await settings(gateway.url)), POWERTOOLS_LOG_LEVEL: 'SILENT' };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await gateway.close();
    await deployment.stop();
  });
  return {
    get deployment() {
      return deployment;
    },
    get url() {
      return gateway.url;
    },
    async token(scopes: readonly Scope[] = ['admin']) {
      return (await new TokenStore(deployment.registry).create({ name: 'test', scopes })).token;
    },
    async ask(path: string, headers: Record<string, string> = {}, init: RequestInit = {}) {
      const answer = await fetch(`${gateway.url}${path}`, { redirect: 'manual', ...init, headers });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      return {
        status: answer.status,
        headers: answer.headers,
        location: answer.headers.get('location'),
        cookies: answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? ''),
        lines: answer.headers.getSetCookie(),
        text,
        body: (isJson && text !== '' ? JSON.parse(text) : undefined) as Record<string, unknown>,
      };
    },
  };
}
