import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService } from '../../local-run/local-service.ts';
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
  service = await startService({ env: { ...clis.env, ...secrets } });
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
  'secrets that are words of the events of %s mask only what is kept',
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
