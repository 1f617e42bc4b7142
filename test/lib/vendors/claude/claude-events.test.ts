import { expect, test } from 'vitest';
import { createClaudeReader } from '../../../../lib/vendors/claude/claude-events.ts';

const INIT = { type: 'system', subtype: 'init', session_id: 's-1' };
const MODEL_USAGE = {
  'claude-large': {
    inputTokens: 100,
    outputTokens: 9,
    cacheReadInputTokens: 30,
    cacheCreationInputTokens: 20,
    thinkingTokens: 4,
    costUSD: 0.5,
  },
  'claude-small': { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 },
};
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  api_error_status: null,
  result: 'läst 😀 "message"\n',
  total_cost_usd: 0.75,
  modelUsage: MODEL_USAGE,
};

function said(text: string, more: object = {}) {
  const content = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text },
  ];
  return { type: 'assistant', parent_tool_use_id: null, message: { content }, ...more };
}

function read(events: readonly unknown[], size = 100_000) {
  const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const reader = createClaudeReader();
  for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
  return reader.facts();
}

test.for([1, 2, 3, 7, 100_000])('a run is read the same in pieces of %i bytes', (size) => {
  const call = { type: 'assistant', parent_tool_use_id: null, message: { content: [{ type: 'tool_use', id: 't' }] } };
  expect(read([INIT, said('first'), call, { type: 'new' }, RESULT], size)).toEqual({
    finished: true,
    sessionId: 's-1',
    finalMessage: 'läst 😀 "message"\n',
    usage: {
      input_tokens: 158,
      cached_input_tokens: 33,
      output_tokens: 11,
      reasoning_output_tokens: 4,
      cost_usd: 0.75,
    },
  });
});

test('without a result, the last text of claude itself is the message, and nothing is finished', () => {
  const events = [INIT, said('mine'), said('a subagent', { parent_tool_use_id: 'toolu_1' })];
  expect(read(events)).toEqual({ finished: false, sessionId: 's-1', finalMessage: 'mine' });
});

test('a retry neither fails nor finishes a run', () => {
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 401, error: 'authentication_failed' };
  expect(read([INIT, retry])).toEqual({ finished: false, sessionId: 's-1', lacksPrompt: true });
});

test('a session has the prompt once claude repeats it, or has spoken, and keeps it in a further turn', () => {
  const repeated = { type: 'user', isReplay: true, uuid: 'u-1', message: { role: 'user', content: [] } };
  for (const event of [repeated, said('first')]) {
    expect(read([INIT, event])).not.toHaveProperty('lacksPrompt');
    expect(read([INIT, event, RESULT, INIT])).not.toHaveProperty('lacksPrompt');
  }
});

test('a failure that claims success is the error, and not the last message', () => {
  const wording = said('API Error: 500 oh', { error: 'server_error', is_api_error_message: true });
  const result = { ...RESULT, is_error: true, api_error_status: 500, result: 'API Error: 500 oh', modelUsage: {} };
  expect(read([INIT, said('so far'), wording, result])).toEqual({
    finished: true,
    sessionId: 's-1',
    finalMessage: 'so far',
    error: 'API Error: 500 oh',
  });
});

test('an unsuccessful result is an error, with the available text', () => {
  const failed = {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    errors: ['no sandbox', 'no fun'],
  };
  expect(read([failed])).toEqual({ finished: true, error: 'no sandbox\nno fun' });
  expect(read([{ type: 'result', subtype: 'error_max_turns', errors: [] }])).toEqual({
    finished: true,
    error: 'error_max_turns',
  });
});

test("a limit parks a run until its end, if it stood against the run's last request", () => {
  const failed = { ...RESULT, is_error: true, api_error_status: 429, result: "You've hit your 5-hour limit" };
  const limit = (status: string) => ({
    type: 'rate_limit_event',
    rate_limit_info: { status, resetsAt: 1_795_182_231, rateLimitType: 'five_hour' },
  });
  const park = { reason: 'usage_limit', until: '2026-11-20T13:43:51.000Z' };
  expect(read([limit('allowed'), limit('rejected'), failed]).park).toEqual(park);
  expect(read([limit('rejected'), RESULT])).not.toHaveProperty('park');
  const busy = { ...failed, result: 'API Error: Request rejected (429) · slow down' };
  expect(read([limit('allowed'), busy]).park).toEqual({ reason: 'vendor_overloaded' });
  // The limit may be reported beside an answer. An answer that only talks of one stays one.
  const answer = { ...RESULT, result: 'You’ve hit your weekly limit · resets 3pm' };
  expect(read([limit('rejected'), answer]).park).toEqual(park);
  expect(read([said(answer.result, { error: 'rate_limit' }), answer]).park).toMatchObject({ reason: 'usage_limit' });
  expect(read([limit('allowed'), said(answer.result), answer])).not.toHaveProperty('park');
});

test("claude's messages are passed on one by one, those of a subagent are not", () => {
  const said: string[] = [];
  const reader = createClaudeReader({ push: (text) => said.push(text), end: () => said.push('|') });
  const content = [{ type: 'text', text: 'one' }, { type: 'tool_use' }, { type: 'text', text: 'two' }];
  for (const parent of [null, 'tool-1']) {
    const event = { type: 'assistant', parent_tool_use_id: parent, message: { content } };
    reader.push(Buffer.from(`${JSON.stringify(event)}\n`));
  }
  expect(said).toEqual(['one', '|', 'two', '|']);
});
