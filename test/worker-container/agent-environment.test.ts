import { expect, test } from 'vitest';
import { type Profile, profileSchema } from '../../lib/catalog/profiles.ts';
import { workerEnv } from '../../lib/config/env.ts';
import { agentEnvironment, secretsOf } from '../../worker-container/agent-environment.ts';

const ENV = workerEnv.parse({
  JOBS_TABLE: 'jobs',
  REGISTRY_TABLE: 'registry',
  OUTPUT_BUCKET: 'output',
  QUEUE_URL_HIGH: 'http://127.0.0.1/high',
  QUEUE_URL_NORMAL: 'http://127.0.0.1/normal',
  QUEUE_URL_LOW: 'http://127.0.0.1/low',
  PROMPTQ_TIMEOUT_UNIT: 'seconds',
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

test('every account is a secret, whoever the agent is', () => {
  expect(secretsOf(ENV, profile({}))).toEqual(
    expect.arrayContaining(['openai-key', 'anthropic-key', 'anthropic-token', 'practice-key', 'profile-value']),
  );
});
