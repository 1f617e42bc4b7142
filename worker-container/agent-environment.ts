import type { Profile } from '../lib/catalog/profiles.ts';
import type { WorkerEnv } from '../lib/config/env.ts';
import type { AgentRun } from './agents/agent.ts';

/** Whom an agent of this profile talks to; undefined: its own vendor. */
export function vendorOf(env: WorkerEnv, profile: Profile): AgentRun['vendor'] {
  if (profile.vendor === 'own') return undefined;
  if (env.PROMPTQ_PRACTICE_URL === undefined || env.PROMPTQ_PRACTICE_KEY === undefined) {
    throw new Error(`profile ${profile.name} talks to the practice vendor, which only the local run has`);
  }
  return { baseUrl: env.PROMPTQ_PRACTICE_URL, apiKey: env.PROMPTQ_PRACTICE_KEY };
}

/**
 * All that an agent gets of the environment: an allow-list, so that nothing of the worker's own (AWS credentials and
 * where to fetch them, names of tables and queues) reaches what a prompt can make it run.
 */
export function agentEnvironment(env: WorkerEnv, profile: Profile): Record<string, string> {
  return {
    PATH: env.PATH,
    HOME: env.HOME,
    LANG: env.LANG,
    ...(env.PROMPTQ_RUN_HOME !== undefined && { PROMPTQ_RUN_HOME: env.PROMPTQ_RUN_HOME }),
    ...(env.PROMPTQ_CODEX_BIN !== undefined &&
      profile.agent === 'codex' && { PROMPTQ_CODEX_BIN: env.PROMPTQ_CODEX_BIN }),
    ...(env.OPENAI_API_KEY !== undefined &&
      profile.agent === 'codex' &&
      profile.vendor === 'own' && { CODEX_API_KEY: env.OPENAI_API_KEY }),
    ...profile.env,
  };
}

/** Values that no reader of output may see. */
export function secretsOf(env: WorkerEnv, profile: Profile): string[] {
  const own = [env.OPENAI_API_KEY, env.PROMPTQ_PRACTICE_KEY].filter((value) => value !== undefined);
  return [...own, ...Object.values(profile.env)];
}
