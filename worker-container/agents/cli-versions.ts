import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import { loginEnvironment } from './agent-environment.ts';
import { AGENTS } from './agents.ts';

/** The versions of the CLIs of this worker by agent, where they are known. */
export async function cliVersions(env: WorkerEnv): Promise<Record<string, string>> {
  const found = await Promise.all(
    Object.values(AGENTS).map(async (agent) => {
      const version = await agent.cliVersion?.(loginEnvironment(env, agent.name));
      return version === undefined ? [] : [[agent.name, version] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}
