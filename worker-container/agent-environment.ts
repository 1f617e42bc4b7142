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
    ...given(OF_AGENT[profile.agent].binary(env)),
    ...(profile.vendor === 'own' && given(OF_AGENT[profile.agent].account(env))),
    ...profile.env,
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What each agent gets beyond that, and nobody else does: where its CLI is, and the account for its own vendor. */
const OF_AGENT: Readonly<
  Record<Profile['agent'], { binary: (env: WorkerEnv) => Variables; account: (env: WorkerEnv) => Variables }>
> = {
  codex: {
    binary: ({ PROMPTQ_CODEX_BIN }) => ({ PROMPTQ_CODEX_BIN }),
    account: ({ OPENAI_API_KEY }) => ({ CODEX_API_KEY: OPENAI_API_KEY }),
  },
  claude: {
    binary: ({ PROMPTQ_CLAUDE_BIN }) => ({ PROMPTQ_CLAUDE_BIN }),
    account: ({ ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN }) => ({ ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN }),
  },
  shell: { binary: () => ({}), account: () => ({}) },
};

function given(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Values that no reader of output may see. */
export function secretsOf(env: WorkerEnv, profile: Profile): string[] {
  const own = [env.OPENAI_API_KEY, env.ANTHROPIC_API_KEY, env.CLAUDE_CODE_OAUTH_TOKEN, env.PROMPTQ_PRACTICE_KEY].filter(
    (value) => value !== undefined,
  );
  return [...own, ...Object.values(profile.env)];
}
