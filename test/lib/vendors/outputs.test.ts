import { describe, expect, it } from 'vitest';
import { claudeOutput } from '../../../lib/vendors/claude/claude-output.ts';
import { codexOutput } from '../../../lib/vendors/codex/codex-output.ts';
import type { AgentFacts, AgentOutput } from '../../../lib/vendors/output/agent-output.ts';
import { shellOutput } from '../../../lib/vendors/shell/shell-output.ts';

const RUNNING: AgentFacts = { finished: false, sessionId: 's' };
const FINISHED: AgentFacts = { ...RUNNING, finished: true };

const conclude = (output: AgentOutput, facts: AgentFacts, exitCode: number | null, stderrTail: string) =>
  output.conclude(facts, { exitCode, signal: exitCode === null ? 'SIGKILL' : null, stderrTail });

/** What a reader passes on as messages: texts, and `end` after each message. */
function messagesOf(output: AgentOutput, chunks: readonly Buffer[], about?: string): string[] {
  const passed: string[] = [];
  const reader = output.createReader({ push: (text) => passed.push(text), end: () => passed.push('end') }, about);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return passed;
}

describe('what codex says on stderr before it fails', () => {
  it.for([
    ['its last error', 'Error: first\nerror: second\nlater\n', 'second'],
    ['without one, its last line', 'one\n  two  \n\n', 'two'],
    ['without what it always says', 'one\nWARNING: w\nReading prompt from stdin...\n', 'one'],
    ['without colours', '\u001b[31mError: red\u001b[0m\n', 'red'],
    ['without the prefix of its log', '2026-11-23T10:00:00.123Z ERROR codex_core::auth: it broke\n', 'it broke'],
  ] as const)('%s', ([, stderr, error]) => {
    expect(conclude(codexOutput, RUNNING, 1, stderr)).toEqual({ ...RUNNING, error });
  });

  it('parks the job when its account is not linked, unless its events said why already', () => {
    const error = 'Not logged in';
    const account = { reason: 'account_required' } as const;
    const limit = { reason: 'usage_limit' } as const;
    expect(conclude(codexOutput, RUNNING, 1, `Error: ${error}\n`)).toEqual({ ...RUNNING, error, park: account });
    const limited = { ...RUNNING, park: limit };
    expect(conclude(codexOutput, limited, 1, `Error: ${error}\n`)).toEqual({ ...limited, error });
  });

  it.for([
    ['it says nothing', RUNNING, 1, '\n \nWARNING: w\n'],
    ['it ended well', RUNNING, 0, 'Error: none\n'],
    ['it was killed', RUNNING, null, 'Error: none\n'],
    ['its events had the reason', { ...FINISHED, error: 'a reason' }, 1, 'Error: none\n'],
  ] as const)('changes nothing when %s', ([, facts, exitCode, stderr]) => {
    expect(conclude(codexOutput, facts, exitCode, stderr)).toEqual(facts);
  });
});

describe('what claude says on stderr before it fails', () => {
  it.for([
    ['its first error', 'hm\nError: first\nerror: second\n', 'first'],
    ['without one, its last line', 'one\n  two  \n\n', 'two'],
    ['without colours', '\u001b[31mError: red\u001b[0m\n', 'red'],
  ] as const)('%s', ([, stderr, error]) => {
    expect(conclude(claudeOutput, RUNNING, 1, stderr)).toEqual({ ...RUNNING, error });
  });

  it('parks the job when its account is not linked', () => {
    const error = 'Not logged in · Please run /login';
    const park = { reason: 'account_required' };
    expect(conclude(claudeOutput, RUNNING, 1, `${error}\n`)).toEqual({ ...RUNNING, error, park });
  });

  it.for([
    ['it says nothing', RUNNING, 1, '\n \n'],
    ['it was killed', RUNNING, null, 'Error: none\n'],
    ['it had a result', FINISHED, 1, 'Error: none\n'],
    ['it had a result and ended well', FINISHED, 0, ''],
    ['its events had the reason', { ...RUNNING, error: 'a reason' }, 0, 'Error: none\n'],
  ] as const)('changes nothing when %s', ([, facts, exitCode, stderr]) => {
    expect(conclude(claudeOutput, facts, exitCode, stderr)).toEqual(facts);
  });
});

describe('messages', () => {
  it('codex: each of the agent, and nothing else', () => {
    const item = (type: string, text: string) => ({ type: 'item.completed', item: { type, text } });
    const events = [
      { type: 'thread.started', thread_id: 't' },
      item('agent_message', 'first'),
      item('reasoning', 'no message'),
      item('agent_message', 'second'),
    ];
    const lines = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect(messagesOf(codexOutput, [lines])).toEqual(['first', 'end', 'second', 'end']);
  });

  const escaped = (line: unknown) => JSON.stringify(line).replace('word', String.raw`wor\u0064`);
  const jsonLines = (...lines: unknown[]) =>
    Buffer.from(lines.flatMap((line) => [`${JSON.stringify(line)}\n`, `${escaped(line)}\n`]).join(''));
  const spoken = (text: string) => ({
    type: 'assistant',
    parent_tool_use_id: null,
    message: { content: [{ type: 'text', text }] },
  });
  const said = (threadId: string, text: string) => ({
    method: 'item/completed',
    params: { threadId, item: { type: 'agentMessage', text } },
  });
  it.for([
    [
      'codex',
      codexOutput,
      ['the word', 'none'].map((text) => ({ type: 'item.completed', item: { type: 'agent_message', text } })),
    ],
    [
      'codex as an app server',
      codexOutput,
      [
        { id: 'thread', result: { thread: { id: 't' } } },
        said('t', 'the word'),
        said('t', 'none'),
        said('other', 'the word'),
      ],
    ],
    ['claude', claudeOutput, [spoken('the word'), spoken('none')]],
  ] as const)(
    '%s: those about a word are found, escaped or not, and no others if only they are wanted',
    ([, output, lines]) => {
      const asked = messagesOf(output, [jsonLines(...lines)]);
      expect(asked).toEqual(['the word', 'end', 'the word', 'end', 'none', 'end', 'none', 'end']);
      expect(messagesOf(output, [jsonLines(...lines)], 'word')).toEqual(asked.slice(0, 4));
    },
  );

  it('a script: all of stdout is one, also when a character is cut, and at the end', () => {
    const euro = Buffer.from('€');
    const passed = messagesOf(shellOutput, [
      Buffer.from('a'),
      euro.subarray(0, 1),
      euro.subarray(1),
      euro.subarray(0, 2),
    ]);
    expect(passed.at(-1)).toBe('end');
    expect(passed.slice(0, -1).join('')).toBe('a€\ufffd');
    expect(passed.filter((text) => text === 'end')).toHaveLength(1);
  });
});
