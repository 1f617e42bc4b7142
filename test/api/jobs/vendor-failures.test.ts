import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createScriptedClis, type ScriptedClis, scripted, type TurnScript } from '../../local-run/scripted-clis.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** Each is a word of the vendors' events. */
const WORDS = [
  'success',
  'result',
  'session_id',
  'modelUsage',
  'outputTokens',
  'completed',
  'threadId',
  'agentMessage',
];

let clis: ScriptedClis;
let service: OwnService;
beforeAll(async () => {
  clis = await createScriptedClis();
  const secrets = Object.fromEntries(WORDS.map((word, n) => [`PROMPTQ_SECRET_WORD_${n}`, word]));
  service = await startService({
    env: { ...clis.env, ...secrets, PROMPTQ_OVERLOAD_PROBE_SECONDS: '1', PROMPTQ_WATCH_SECONDS: '1' },
  });
  const env = Object.fromEntries(WORDS.map((_, n) => [`WORD_${n}`, { secret: `WORD_${n}` }]));
  const profiles = (['codex', 'claude'] as const).flatMap((agent) => [
    { name: `${agent}-words`, agent, vendor: 'practice', env },
    { name: `scripted-${agent}`, agent, vendor: 'practice' },
  ]);
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await clis.close();
});

/** Runs a turn of a scripted CLI. */
async function ran(profile: string, turn: TurnScript, settings: Record<string, unknown> = {}) {
  const id = await createJob(service, { profile, prompt: scripted(turn), ...settings });
  await untilEnded(service, id);
  return { id, ...(await service.api('GET', `/jobs/${id}/result`)).json };
}

/** The events of a successful turn, by agent. */
const SUCCESS = {
  claude: [
    { type: 'system', subtype: 'init', session_id: 'THREAD' },
    {
      ...{ type: 'assistant', parent_tool_use_id: null },
      message: { content: [{ type: 'text', text: 'all a success' }] },
    },
    {
      ...{ type: 'result', subtype: 'success', is_error: false, result: 'all a success' },
      modelUsage: { m: { inputTokens: 20, outputTokens: 7 } },
    },
  ],
  codex: [
    { method: 'item/completed', params: { threadId: 'THREAD', item: { type: 'userMessage' } } },
    {
      method: 'item/completed',
      params: { threadId: 'THREAD', item: { type: 'agentMessage', text: 'all a success' } },
    },
    {
      method: 'thread/tokenUsage/updated',
      params: {
        threadId: 'THREAD',
        tokenUsage: { total: { inputTokens: 20, cachedInputTokens: 0, outputTokens: 7, reasoningOutputTokens: 0 } },
      },
    },
    { method: 'turn/completed', params: { threadId: 'THREAD', turn: { status: 'completed' } } },
  ],
} as const;

test.each(['claude', 'codex'] as const)(
  "secrets that equal event names of %s are masked in stored output and don't break parsing",
  async (agent) => {
    const { id, ...result } = await ran(`${agent}-words`, { begun: SUCCESS[agent] });
    expect(result).toMatchObject({
      ...{ status: 'SUCCEEDED', final_message: 'all a ***', usage: { input_tokens: 20, output_tokens: 7 } },
      session_id: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    const next = await ran(`${agent}-words`, { begun: [], resumed: SUCCESS[agent] }, { continue: id });
    expect(next).toMatchObject({ status: 'SUCCEEDED', session_id: result.session_id });
    expect((await service.api('POST', `/jobs/${id}/reread-logs`)).json).toMatchObject({ refreshed: [] });
    for (const word of WORDS)
      expect((await service.api('GET', `/jobs/${id}/logs?full=1`)).json.stdout).not.toContain(word);
  },
);

/** The events of a turn that fails before a model has answered. */
function failing(agent: 'claude' | 'codex', message: string, codexErrorInfo: unknown = 'other'): TurnScript['begun'] {
  if (agent === 'claude')
    return [
      SUCCESS.claude[0],
      { type: 'user' },
      { type: 'result', subtype: 'success', is_error: true, result: message },
    ];
  const turn = { status: 'failed', error: { message, codexErrorInfo } };
  return [SUCCESS.codex[0], { method: 'turn/completed', params: { threadId: 'THREAD', turn } }];
}

const AGENTS = ['claude', 'codex'] as const;

test.concurrent.each(AGENTS)(
  'a job of %s whose vendor is overloaded waits with its session, and uses no retry',
  async (agent) => {
    const begun = failing(agent, 'API Error: 529 Overloaded', 'serverOverloaded');
    const prompt = scripted({ begun, resumed: SUCCESS[agent] });
    const id = await createJob(service, { profile: `scripted-${agent}`, prompt, retries: 2 });
    const waiting = await waitFor(async () => {
      const { json } = await service.api('GET', `/jobs/${id}`);
      return json.status === 'QUEUED' && json.attempt === 1 && json;
    });
    expect(waiting).toMatchObject({
      error: 'API Error: 529 Overloaded',
      state_reason: { code: 'vendor_overloaded', retryable: true, next_check_at: expect.any(String) },
    });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    const { json } = await service.api('GET', `/jobs/${id}`);
    expect(json.attempts.map((one: { resumed_from: number | null }) => one.resumed_from)).toEqual([1, null]);
  },
);

test.concurrent.each(AGENTS)('a request that the vendor of %s refuses is not repeated', async (agent) => {
  const message = 'API Error: 404 There is an issue with the selected model';
  const { status, attempt, error } = await ran(
    `scripted-${agent}`,
    { begun: failing(agent, message, 'modelNotFound') },
    { retries: 2 },
  );
  expect({ status, attempt, error }).toEqual({ status: 'FAILED', attempt: 1, error: message });
});

test.concurrent.each(AGENTS)(
  'a conversation that the vendor of %s refuses continues in a new session',
  async (agent) => {
    const profile = `scripted-${agent}`;
    const refused = failing(agent, 'API Error: 400 image exceeds the allowed size', 'badRequest');
    const turn = { begun: SUCCESS[agent], resumed: refused };
    const first = await ran(profile, turn);
    const second = await ran(profile, turn, { continue: first.id });
    expect(second).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    expect(second.session_id).not.toBe(first.session_id);
    expect(second.composed_prompt).toContain('Answer 1:\nall a success');
    const { json } = await service.api('GET', `/jobs/${second.id}`);
    expect(json.warnings).toEqual([expect.stringMatching(/^session_refused: /)]);
    expect((await ran(profile, turn, { fork: second.id })).status).toBe('SUCCEEDED');
    // What no session can hold is not tried again.
    const hopeless = await ran(profile, { begun: refused }, { continue: second.id });
    expect(hopeless).toMatchObject({ status: 'FAILED', attempt: 2 });
  },
);

test.concurrent.each(AGENTS)('a job of %s waits for a usage limit to end, whatever the wording', async (agent) => {
  const message = 'You’ve hit your weekly limit · resets Dec 9 at 1am (Europe/Berlin)';
  const id = await createJob(service, {
    profile: `scripted-${agent}`,
    prompt: scripted({ begun: failing(agent, message), exit: 1 }),
  });
  const { state_reason } = await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}`);
    return json.attempt === 1 && json.status !== 'RUNNING' && json;
  });
  expect(state_reason).toMatchObject({ code: 'usage_limit', next_check_at: expect.stringMatching(/-12-09T00:00:00/) });
  await service.api('POST', `/jobs/${id}/cancel`);
});

/** The events of an agent that codex has started. */
function helper(method: string, more: object = {}): Record<string, unknown> {
  return { method, params: { threadId: 'THREAD-helper', ...more } };
}

const HELPERS_TOKENS = { inputTokens: 900, cachedInputTokens: 0, outputTokens: 90, reasoningOutputTokens: 0 };

test.concurrent('a job of codex runs until the agents that codex has started have ended', async () => {
  const result = await ran('scripted-codex', {
    begun: [
      helper('turn/started'),
      ...SUCCESS.codex,
      100,
      helper('item/completed', { item: { type: 'agentMessage', text: 'not for the user' } }),
      helper('thread/tokenUsage/updated', { tokenUsage: { total: HELPERS_TOKENS, last: HELPERS_TOKENS } }),
      helper('turn/completed', { turn: { status: 'completed' } }),
    ],
  });
  const usage = { input_tokens: 920, output_tokens: 97 };
  expect(result).toMatchObject({ status: 'SUCCEEDED', final_message: 'all a success', usage });
});

test.concurrent('agents that codex leaves behind are in the warnings of its job', async () => {
  const states = { a: { status: 'completed' }, b: { status: 'running' } };
  const item = { type: 'collabAgentToolCall', agentsStates: states };
  const spawned = { method: 'item/completed', params: { threadId: 'THREAD', item } };
  const { id } = await ran('scripted-codex', { begun: [spawned, ...SUCCESS.codex], exit: 0 });
  const { json } = await service.api('GET', `/jobs/${id}`);
  expect(json).toMatchObject({ status: 'SUCCEEDED', warnings: [expect.stringMatching(/^agents: 1 agent /)] });
});
