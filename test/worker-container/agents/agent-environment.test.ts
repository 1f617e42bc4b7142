import { expect, test } from 'vitest';
import { type Profile, profileSchema } from '../../../lib/catalog/profiles.ts';
import { AGENT_DEFINITIONS, AGENTS, CREDENTIAL_VARIABLES } from '../../../lib/contract/agents.ts';
import { workerEnv } from '../../../lib/platform/config/worker-env.ts';
import {
  agentEnvironment,
  practiceUrlOf,
  secretsOf,
  usesLogin,
} from '../../../worker-container/agents/agent-environment.ts';
import { REQUIRED_SETTINGS } from '../required-settings.ts';

const ENV = workerEnv.parse({
  ...REQUIRED_SETTINGS,
  PATH: '/bin',
  HOME: '/home/worker',
  LANG: 'C.UTF-8',
  PROMPTQ_CODEX_BIN: '/opt/codex',
  PROMPTQ_CLAUDE_BIN: '/opt/claude',
  OPENAI_API_KEY: 'openai-key',
  ANTHROPIC_API_KEY: 'anthropic-key',
  CLAUDE_CODE_OAUTH_TOKEN: 'anthropic-token',
  PROMPTQ_PRACTICE_KEY: 'practice-key',
});
const COMMON = { PATH: '/bin', HOME: '/home/worker', LANG: 'C.UTF-8', MINE: 'profile-value' };

function profile(settings: Partial<Profile>): Profile {
  return profileSchema.parse({ name: 'p', agent: 'shell', env: { MINE: 'profile-value' }, ...settings });
}

test.for([
  { agent: 'codex', gets: { PROMPTQ_CODEX_BIN: '/opt/codex', CODEX_API_KEY: 'openai-key' } },
  {
    agent: 'claude',
    gets: {
      PROMPTQ_CLAUDE_BIN: '/opt/claude',
      ANTHROPIC_API_KEY: 'anthropic-key',
      CLAUDE_CODE_OAUTH_TOKEN: 'anthropic-token',
    },
  },
  { agent: 'shell', gets: {} },
] as const)('agent $agent gets what is its own, and nothing else of the worker', ({ agent, gets }) => {
  expect(agentEnvironment(ENV, profile({ agent }))).toEqual({ ...COMMON, ...gets });
});

test.for(['codex', 'claude'] as const)(
  'agent %s gets no account for its own vendor when it talks to another',
  (agent) => {
    const values = Object.values(agentEnvironment(ENV, profile({ agent, vendor: 'practice' })));
    expect(values.filter((value) => /-(key|token)$/.test(value))).toEqual([]);
  },
);

test("codex does not get a key for the real vendor if its logins are the practice vendor's", () => {
  const env = { ...ENV, PROMPTQ_VENDOR: 'practice', PROMPTQ_PRACTICE_URL: 'http://127.0.0.1:1/v1' } as const;
  const codex = profile({ agent: 'codex' });
  expect(Object.values(agentEnvironment(env, codex))).not.toContain('openai-key');
  expect([usesLogin(env, codex), practiceUrlOf(env, codex)]).toEqual([true, 'http://127.0.0.1:1/v1']);
});

test('only agents of real codex use the linked login, if no key is set', () => {
  const env = { ...ENV, OPENAI_API_KEY: undefined };
  expect(usesLogin(env, profile({ agent: 'codex' }))).toBe(true);
  expect(practiceUrlOf(env, profile({ agent: 'codex' }))).toBeUndefined();
  expect(usesLogin(ENV, profile({ agent: 'codex' }))).toBe(false);
  expect(usesLogin(env, profile({ agent: 'codex', env: { OPENAI_API_KEY: 'own' } }))).toBe(false);
  for (const agent of ['claude', 'shell'] as const) expect(usesLogin(env, profile({ agent }))).toBe(false);
});

test('every account is a secret, for every agent', () => {
  expect(secretsOf(ENV, new Map([['MINE', 'secret-value']]))).toEqual(
    expect.arrayContaining(['openai-key', 'anthropic-key', 'anthropic-token', 'practice-key', 'secret-value']),
  );
});

test.for(AGENTS)('the credentials of %s reach no other agent and are masked', (agent) => {
  const values = Object.keys(AGENT_DEFINITIONS[agent].credentials).map((name) => `value of ${name}`);
  const all = Object.fromEntries(CREDENTIAL_VARIABLES.map((name) => [name, `value of ${name}`]));
  const env = workerEnv.parse({ ...REQUIRED_SETTINGS, ...all });
  const holders = AGENTS.filter((name) => {
    const received = Object.values(agentEnvironment(env, profile({ agent: name })));
    return values.some((value) => received.includes(value));
  });
  expect(holders).toEqual(values.length === 0 ? [] : [agent]);
  expect(secretsOf(env, new Map())).toEqual(expect.arrayContaining(values));
});

test.for<Pick<Profile, 'agent' | 'env'>>([
  { agent: 'codex', env: { OPENAI_API_KEY: 'own' } },
  { agent: 'codex', env: { CODEX_API_KEY: 'own' } },
  { agent: 'claude', env: { ANTHROPIC_API_KEY: 'own' } },
  { agent: 'claude', env: { CLAUDE_CODE_OAUTH_TOKEN: 'own' } },
])('a profile of $agent with $env gets no other credentials', ({ agent, env }) => {
  const { PATH, HOME, LANG } = COMMON;
  const { PROMPTQ_CODEX_BIN: _, PROMPTQ_CLAUDE_BIN: __, ...received } = agentEnvironment(ENV, profile({ agent, env }));
  expect(received).toEqual({ PATH, HOME, LANG, ...env });
});
