import { TokenStore } from '../../lib/access/tokens/token-store.ts';
import { routes } from '../../lib/contract/routes/routes.ts';
import { SCOPES } from '../../lib/contract/scopes.ts';
import { startGateway } from '../../lib/local/gateway/gateway.ts';
import { applyEnv } from '../../lib/local/run/local-env.ts';
import { sourceOf } from '../../lib/stacks/functions/bundle-functions.ts';
import { emulateDeployment } from '../../test/stand-ins/emulated-deployment.ts';

export type OpenRoutes = Awaited<ReturnType<typeof openRoutes>>;

/** The exported functions behind the local gateway, in this process, on an emulated deployment. */
export async function openRoutes() {
  const deployment = await emulateDeployment();
  // biome-ignore lint/style/noProcessEnv: the functions of this process read it
  applyEnv({ ...deployment.processEnv, POWERTOOLS_LOG_LEVEL: 'SILENT' }, process.env);
  const load = async (id: string): Promise<unknown> => await import(`../../${sourceOf(id)}`);
  const gateway = await startGateway({ port: 0, routes, load, log: (line) => console.error(line) });
  const { token } = await new TokenStore(deployment.registry).create({ name: 'bench', scopes: [...SCOPES] });
  return {
    deployment,
    /** @throws Error with the answer unless it is a success. */
    async call(method: string, path: string, body?: unknown): Promise<{ id: string }> {
      const response = await fetch(`${gateway.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as { id: string };
    },
    async close(): Promise<void> {
      await gateway.close();
      await deployment.stop();
    },
  };
}
