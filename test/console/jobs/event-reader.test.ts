import { describe, expect, test } from 'vitest';
import { createEventReader } from '../../../console/src/jobs/events/event-reader.ts';

const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The events of a text that arrives in pieces of a few characters. */
function read(text: string, size = 7) {
  const reader = createEventReader();
  for (let offset = 0; offset < text.length; offset += size)
    reader.push({ text: text.slice(offset, offset + size), offset });
  return reader.events.map(({ event }) => event);
}

describe('events', () => {
  test('of codex are parsed, and a later state of an item replaces the earlier one', () => {
    const command = { id: 'item_3', type: 'command_execution', command: 'ls', aggregated_output: '' };
    const text = lines(
      { type: 'thread.started', thread_id: 'T' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_1', type: 'reasoning', text: 'hm' } },
      { type: 'item.started', item: { ...command, exit_code: null, status: 'in_progress' } },
      { type: 'item.completed', item: { id: 'item_4', type: 'file_change', changes: [{ path: '/a', kind: 'add' }] } },
      { type: 'item.completed', item: { ...command, aggregated_output: 'x\n', exit_code: 2, status: 'completed' } },
      { type: 'item.completed', item: { id: 'item_5', type: 'web_search', query: 'q' } },
      { type: 'turn.completed', usage: { input_tokens: 2400 } },
      { type: 'turn.failed', error: { message: 'no' } },
    );
    expect(read(text)).toEqual([
      { kind: 'note', text: 'Session T' },
      { kind: 'reasoning', text: 'hm' },
      { kind: 'command', command: 'ls', output: 'x\n', exitCode: 2, state: 'failed' },
      { kind: 'files', changes: [{ path: '/a', change: 'add' }], state: 'done' },
      { kind: 'tool', name: 'web_search', input: '{\n  "query": "q"\n}', output: '', state: 'done' },
      expect.objectContaining({ kind: 'usage', facts: expect.arrayContaining([['Input', '2,400 tokens']]) }),
      { kind: 'error', text: 'no' },
    ]);
  });

  test("of codex's app server are parsed, without its prompt and news of other kinds", () => {
    const params = (item: unknown) => ({ threadId: 'T', turnId: 'U', item });
    const command = { id: 'i3', type: 'commandExecution', command: 'ls', aggregatedOutput: null, exitCode: null };
    const message = (id: string, clientId: string | null) => ({
      ...{ id, clientId, type: 'userMessage' },
      content: [{ type: 'text', text: `said ${id}` }],
    });
    const total = { inputTokens: 2400, cachedInputTokens: 1, outputTokens: 2, reasoningOutputTokens: 3 };
    const text = lines(
      { id: 'initialize', result: { userAgent: 'codex' } },
      { id: 'thread', result: { thread: { id: 'T' }, model: 'm' } },
      { method: 'item/completed', params: params(message('i1', null)) },
      { method: 'item/started', params: params({ ...command, status: 'inProgress' }) },
      {
        method: 'item/completed',
        params: params({ ...command, aggregatedOutput: 'x\n', exitCode: 2, status: 'completed' }),
      },
      { method: 'item/completed', params: params(message('i4', 'msg_1')) },
      {
        method: 'item/completed',
        params: params({
          ...{ id: 'i6', type: 'mcpToolCall', server: 's', tool: 't', arguments: { a: 1 }, status: 'completed' },
          ...{ result: { content: [{ type: 'text', text: 'said' }] }, error: null },
        }),
      },
      { method: 'item/completed', params: params({ id: 'i5', type: 'agentMessage', text: 'done' }) },
      { method: 'thread/tokenUsage/updated', params: { threadId: 'T', tokenUsage: { total } } },
      { method: 'account/rateLimits/updated', params: {} },
      { method: 'turn/completed', params: { threadId: 'T', turn: { status: 'failed', error: { message: 'no' } } } },
    );
    expect(read(text)).toEqual([
      { kind: 'note', text: 'Session T' },
      { kind: 'command', command: 'ls', output: 'x\n', exitCode: 2, state: 'failed' },
      { kind: 'note', text: 'said i4' },
      { kind: 'tool', name: 's.t', input: '{\n  "a": 1\n}', output: 'said', state: 'done' },
      { kind: 'message', text: 'done' },
      expect.objectContaining({ kind: 'usage', facts: expect.arrayContaining([['Input', '2,400 tokens']]) }),
      { kind: 'error', text: 'no' },
    ]);
  });

  test('of claude are parsed, and a tool result is joined to its call', () => {
    const said = (...content: unknown[]) => ({ type: 'assistant', message: { content } });
    const answer = (id: string, content: unknown, is_error = false) => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
    });
    const text = lines(
      { type: 'system', subtype: 'init', session_id: 'S', model: 'm' },
      said({ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'I look.' }),
      said({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }),
      said({ type: 'tool_use', id: 't2', name: 'Write', input: { file_path: '/b', content: '' } }),
      answer('t1', [{ type: 'text', text: 'out' }], true),
      answer('t2', 'ok'),
      { type: 'result', is_error: true, result: 'limit', total_cost_usd: 0.5, num_turns: 2 },
    );
    expect(read(text)).toEqual([
      { kind: 'note', text: 'Session S, model m' },
      { kind: 'reasoning', text: 'hm' },
      { kind: 'message', text: 'I look.' },
      { kind: 'command', command: 'ls', output: 'out', exitCode: null, state: 'failed' },
      { kind: 'files', changes: [{ path: '/b', change: 'write' }], state: 'done' },
      { kind: 'error', text: 'limit' },
      {
        kind: 'usage',
        facts: [
          ['Cost', '$0.5000'],
          ['Turns', '2'],
        ],
      },
    ]);
  });

  test("are shown unchanged if they can't be parsed, consecutive ones together", () => {
    const text = `plain\n{"type":"else"}\n${lines({ type: 'error', message: 'e' })}{broken\n`;
    expect(read(text)).toEqual([
      { kind: 'raw', text: 'plain\n{"type":"else"}' },
      { kind: 'error', text: 'e' },
      { kind: 'raw', text: '{broken' },
    ]);
  });

  test('of several megabytes are parsed, and shown up to a limit', () => {
    const output = 'y'.repeat(1_300_000);
    const [event] = read(
      lines({
        type: 'item.completed',
        item: { id: 'i', type: 'command_execution', command: 'yes', aggregated_output: output, exit_code: 0 },
      }),
      65_536,
    );
    expect(event).toMatchObject({ kind: 'command', command: 'yes', state: 'done' });
    expect(event).toHaveProperty('output', expect.stringContaining('1,100,000 more characters are in the log.'));
  });

  test('begin with the first whole line if reading starts within a line', () => {
    const reader = createEventReader(true);
    reader.push({ text: `half of a line"}\n${lines({ type: 'error', message: 'whole' })}`, offset: 100 });
    expect(reader.events).toEqual([{ id: '117', event: { kind: 'error', text: 'whole' } }]);
  });

  test('are identified by their byte offset, however the text is split', () => {
    const text = lines({ type: 'thread.started', thread_id: 'é' }, { type: 'error', message: 'later' });
    const whole = createEventReader();
    whole.push({ text, offset: 0 });
    const byte = new TextEncoder().encode(text.slice(0, text.indexOf('\n') + 1)).length;
    expect(whole.events.map(({ id }) => id)).toEqual(['0', String(byte)]);
    const cut = createEventReader();
    cut.push({ text: text.slice(0, 20), offset: 0 });
    cut.push({ text: text.slice(20), offset: 20 });
    expect(cut.events).toEqual(whole.events);
  });

  test('begin and end when their pieces arrive', () => {
    const item = { id: 'item_1', type: 'command_execution', command: 'ls' };
    const reader = createEventReader();
    const push = (value: unknown, at?: number) => reader.push({ text: lines(value), offset: 0, at });
    push({ type: 'thread.started', thread_id: 'T' });
    push({ type: 'item.started', item: { ...item, status: 'in_progress' } }, 1_000);
    push({ type: 'item.updated', item: { ...item, status: 'in_progress' } }, 2_000);
    push({ type: 'item.completed', item: { ...item, exit_code: 0, status: 'completed' } }, 5_000);
    const [session, command] = reader.events;
    expect(session).not.toHaveProperty('startedAt');
    expect(command).toMatchObject({ startedAt: 1_000, endedAt: 5_000 });
  });

  test('that are errors are readable, and shown once if codex repeats them', () => {
    const message = 'unexpected status 400 Bad Request: {"error":{"message":"The model is overloaded.","code":"x"}}';
    const text = lines({ type: 'error', message }, { type: 'turn.failed', error: { message } });
    expect(read(text)).toEqual([
      { kind: 'error', text: 'unexpected status 400 Bad Request: The model is overloaded.' },
    ]);
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, error_status: 529 };
    expect(read(lines(retry))).toEqual([
      { kind: 'error', text: 'The request to the vendor failed (529). Retry 1 of 3.' },
    ]);
  });
});
