import { describe, expect, test } from 'vitest';
import { createTimeline, type Paint } from '../../../../lib/vendors/timeline/timeline-text.ts';

const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const NO_COLOR: Paint = (_, text) => text;

/** What is printed of a text that arrives in pieces of a few characters. */
function printed(text: string, { paint = NO_COLOR, size = 7 } = {}): string {
  const timeline = createTimeline(paint);
  let shown = '';
  for (let offset = 0; offset < text.length; offset += size)
    shown += timeline.push({ text: text.slice(offset, offset + size), offset });
  return shown + timeline.end();
}

const item = (method: 'item/started' | 'item/completed', fields: object) => ({ method, params: { item: fields } });
const command = (fields: object) => ({ type: 'commandExecution', id: 'c', command: 'ls', ...fields });

describe('the timeline', () => {
  test("of codex's app server", () => {
    const tokens = (count: number) => ({
      method: 'thread/tokenUsage/updated',
      params: {
        tokenUsage: {
          total: { inputTokens: count, cachedInputTokens: 1, outputTokens: 2, reasoningOutputTokens: 3 },
        },
      },
    });
    const text = lines(
      { id: 'thread', result: { thread: { id: 'T' } } },
      item('item/started', { type: 'agentMessage', id: 'm', text: '' }),
      item('item/completed', { type: 'agentMessage', id: 'm', text: 'I list.' }),
      item('item/started', command({ command: "/bin/bash -lc 'ls -l'", status: 'inProgress' })),
      item(
        'item/completed',
        command({ command: "/bin/bash -lc 'ls -l'", status: 'failed', aggregatedOutput: 'a\nb\n', exitCode: 2 }),
      ),
      tokens(10),
      item('item/completed', {
        type: 'fileChange',
        id: 'f',
        status: 'completed',
        changes: [{ path: 'x', kind: { type: 'add' } }],
      }),
      tokens(2_000),
      { method: 'error', params: { error: { message: 'no' } } },
      { method: 'turn/completed', params: { turn: { error: { message: 'no' } } } },
    );
    expect(printed(text)).toBe(
      'Session T\n\nI list.\n\n$ ls -l\n  a\n  b\n  exit code 2\nadd x\nerror: no\n' +
        'Session input 2,000 tokens, of which cached 1, output 2 tokens, of which reasoning 3\n',
    );
  });

  test('of codex exec', () => {
    const step = (type: string, fields: object) => ({ type: 'item.completed', item: { id: type, type, ...fields } });
    const usage = { input_tokens: 2_000, cached_input_tokens: 1, output_tokens: 2, reasoning_output_tokens: 2 };
    const text = lines(
      { type: 'thread.started', thread_id: 'T' },
      { type: 'turn.started' },
      step('agent_message', { text: 'I list.' }),
      step('command_execution', { command: 'ls', aggregated_output: 'a', exit_code: 2, status: 'failed' }),
      step('file_change', { changes: [{ path: 'x', kind: 'add' }], status: 'completed' }),
      step('error', { message: 'no' }),
      { type: 'turn.completed', usage },
    );
    expect(printed(text)).toBe(
      'Session T\n\nI list.\n\n$ ls\n  a\n  exit code 2\nadd x\nerror: no\n' +
        'Input 2,000 tokens, of which cached 1, Output 2 tokens, of which reasoning 2\n',
    );
  });

  test('of claude, with the results of calls that ran at the same time', () => {
    const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
    const text = lines(
      {
        type: 'assistant',
        message: { content: [use('1', 'Bash', { command: 'pwd' }), use('2', 'Grep', { pattern: 'a  b' })] },
      },
      { type: 'user', message: { content: [result('1', '/w')] } },
      { type: 'user', message: { content: [result('2', 'x')] } },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'Done.' }] } },
    );
    expect(printed(text)).toBe(
      '$ pwd\nGrep { "pattern": "a b" }\n$ pwd\n  /w\nGrep { "pattern": "a b" }\n  x\n\nDone.\n',
    );
  });

  test('strips terminal controls from names of tools', () => {
    const text = lines(item('item/completed', { type: '\u001b]52;c;eA==\u0007read', id: 'i', status: 'completed' }));
    expect(printed(text)).toMatch(/^[^\p{Cc}]*read[^\p{Cc}]*\n$/u);
  });

  test('prints other lines without terminal controls', () => {
    expect(printed('plain\n\n\u001b[31mred\u001b[0m\u0007\nno end')).toBe('plain\n\nred␇\nno end\n');
  });

  test('prints a call while it runs', () => {
    const timeline = createTimeline(NO_COLOR);
    const started = lines(item('item/started', command({ status: 'inProgress' })));
    expect(timeline.push({ text: started, offset: 0 })).toBe('$ ls\n');
    const ended = lines(item('item/completed', command({ status: 'completed', aggregatedOutput: 'a', exitCode: 0 })));
    expect([timeline.push({ text: ended, offset: started.length }), timeline.hasErrors]).toEqual(['  a\n', false]);
  });

  const completed = (fields: object) =>
    item('item/completed', command({ status: 'completed', exitCode: 0, ...fields }));
  const started = (fields: object = {}) => item('item/started', command({ status: 'inProgress', ...fields }));

  test.each<[string, unknown[], string]>([
    ['a call that repeats the id of one that has ended', [started(), completed({}), started()], '$ ls\n$ ls\n'],
    ['a call without an output', [started(), completed({ aggregatedOutput: '\n' })], '$ ls\n'],
    ['an output that begins with an empty line', [completed({ aggregatedOutput: '\na' })], '$ ls\n  \n  a\n'],
    [
      'an output of one line too many',
      [completed({ aggregatedOutput: `${'\n'.repeat(10)}a` })],
      '$ ls\n  … 1 more line\n',
    ],
    ['a call that was not allowed', [completed({ status: 'declined', exitCode: null })], '$ ls\n  failed\n'],
    [
      'an output only when its call has ended',
      [started(), started({ aggregatedOutput: 'a' }), completed({ aggregatedOutput: 'a' })],
      '$ ls\n  a\n',
    ],
    [
      'each of two errors',
      ['no', 'no', 'never'].map((message) => ({ method: 'error', params: { error: { message } } })),
      'error: no\nerror: never\n',
    ],
  ])('prints %s', (_, given, text) => {
    expect(printed(lines(...given)).replaceAll(/( {2}\n){9}.*\n/g, '')).toBe(text);
  });
});
