import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../../lib/vendors/timeline/agent-event.ts';
import { claudeChanges } from '../../../../lib/vendors/timeline/claude-lines.ts';

const read = (line: unknown, before: AgentEvent | undefined = undefined) => claudeChanges(line, () => before);
const said = (part: object) => ({ type: 'assistant', message: { content: [part] } });
const answered = (part: object, more: object = {}) => ({ type: 'user', message: { content: [part] }, ...more });
const result = (fields: object) => answered({ type: 'tool_result', tool_use_id: 'T', ...fields });

it.each<[what: string, line: unknown, events: AgentEvent[]]>([
  ['a session without facts', { type: 'system', subtype: 'init' }, [{ kind: 'note', text: 'Session , model unknown' }]],
  ['other news of the system', { type: 'system', subtype: 'compact_boundary' }, []],
  ['news of the limits', { type: 'rate_limit_event' }, []],
  ['news of a command', { type: 'command_lifecycle' }, []],
  ['a message', said({ type: 'text', text: 'hi' }), [{ kind: 'message', text: 'hi' }]],
  ['a thought', said({ type: 'thinking', thinking: 'hm' }), [{ kind: 'reasoning', text: 'hm' }]],
  ['a part of a later version', said({ type: 'image' }), []],
  ['a prompt', { type: 'user', message: { content: 'do it' } }, []],
  ['a part of a prompt', answered({ type: 'text', text: 'Message msg_1' }), []],
  ['a part of a prompt that is repeated', answered({ type: 'text', text: 'do it' }, { isReplay: true }), []],
  [
    'a message to the running job',
    answered({ type: 'text', text: 'Message msg_1: more' }, { isReplay: true }),
    [{ kind: 'note', text: 'Message msg_1: more' }],
  ],
  ['a result that is repeated', { ...result({}), isReplay: true }, []],
  ['a part of an answer of a later version', answered({ type: 'image' }), []],
])('%s is shown as what it is', (_what, line, events) => {
  expect(read(line)?.map(({ event }) => event)).toEqual(events);
  expect(read(line)?.some((change) => 'key' in change || 'at' in change)).toBe(false);
});

const RUNS = { output: '', state: 'running' } as const;

it.each<[name: string, input: unknown, event: AgentEvent]>([
  ['Bash', { command: 'ls' }, { kind: 'command', command: 'ls', exitCode: null, ...RUNS }],
  ['Bash', { shell: 'ls' }, { kind: 'tool', name: 'Bash', input: '{\n  "shell": "ls"\n}', ...RUNS }],
  ['Grep', { command: 'ls' }, { kind: 'tool', name: 'Grep', input: '{\n  "command": "ls"\n}', ...RUNS }],
  ['Read', { file_path: '/a' }, { kind: 'tool', name: 'Read', input: '{\n  "file_path": "/a"\n}', ...RUNS }],
  ['Write', { path: '/a' }, { kind: 'tool', name: 'Write', input: '{\n  "path": "/a"\n}', ...RUNS }],
  ['Think', undefined, { kind: 'tool', name: 'Think', input: '', ...RUNS }],
  ...['Write', 'Edit', 'MultiEdit', 'NotebookEdit'].map((name): [string, unknown, AgentEvent] => [
    ...([name, { file_path: '/a' }] as const),
    { kind: 'files', changes: [{ path: '/a', change: name.toLowerCase() }], state: 'running' },
  ]),
])('a call of %s is shown by its input (%#)', (name, input, event) => {
  expect(read(said({ type: 'tool_use', id: 'T', name, input }))).toEqual([{ key: 'T', event }]);
});

const TOOL = { kind: 'tool', name: 'Tool', input: '' } as const;
const PARTS = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }];
const COMMAND: AgentEvent = { kind: 'command', command: 'ls', exitCode: null, ...RUNS };
const GREP: AgentEvent = { kind: 'tool', name: 'Grep', input: '{}', ...RUNS };
const FILES: AgentEvent = { kind: 'files', changes: [{ path: '/a', change: 'edit' }], state: 'running' };

it.each<[before: AgentEvent | undefined, fields: object, event: AgentEvent]>([
  [COMMAND, { content: 'out' }, { ...COMMAND, output: 'out', state: 'done' }],
  [COMMAND, { content: PARTS, is_error: true }, { ...COMMAND, output: 'a\n\nb', state: 'failed' }],
  [GREP, { content: 'out', is_error: false }, { ...GREP, output: 'out', state: 'done' }],
  [FILES, { content: 'out', is_error: null }, { ...FILES, state: 'done' }],
  [FILES, { is_error: true }, { ...FILES, state: 'failed' }],
  [undefined, {}, { ...TOOL, output: '', state: 'done' }],
  [{ kind: 'message', text: 'a' }, { content: 'out' }, { ...TOOL, output: 'out', state: 'done' }],
])('a result completes its call, if that is known (%#)', (before, fields, event) => {
  expect(read(result(fields), before)).toEqual([{ key: 'T', event }]);
});

const FAILED = 'The request to the vendor failed';
it.each<[fields: object, text: string]>([
  [{}, `${FAILED}. The agent is retrying.`],
  [{ attempt: 1 }, `${FAILED}. Retry 1.`],
  [
    { attempt: 2, max_retries: 10, error_status: 529, error: 'overloaded' },
    `${FAILED} (529 overloaded). Retry 2 of 10.`,
  ],
  [{ attempt: 2, error_status: null, error: 'reset' }, `${FAILED} (reset). Retry 2.`],
])('a retry says why and how often (%#)', (fields, text) => {
  expect(read({ type: 'system', subtype: 'api_retry', ...fields })).toEqual([{ event: { kind: 'error', text } }]);
});

it('the end shows what the job used, and the error of a failure', () => {
  const used = { total_cost_usd: 1.23456, num_turns: 3, duration_ms: 61_250 };
  const line = {
    type: 'result',
    ...used,
    usage: { input_tokens: 1_234, output_tokens: 5_678 },
    result: 'said already',
  };
  const facts = [
    ['Input', '1,234 tokens'],
    ['Output', '5,678 tokens'],
    ['Cost', '$1.2346'],
    ['Turns', '3'],
    ['Time', '61.3 s'],
  ];
  expect(read(line)).toEqual([{ event: { kind: 'usage', facts } }]);
  const failed = (more: object) => read({ type: 'result', is_error: true, ...more });
  const none = { event: { kind: 'usage', facts: [] } };
  const unknown = 'The agent failed and gave no reason.';
  expect(failed({ usage: {} })).toEqual([{ event: { kind: 'error', text: unknown } }, none]);
  const body = 'API Error: {"error":{"message":"Overloaded"}}';
  expect(failed({ result: body })).toEqual([{ event: { kind: 'error', text: 'API Error: Overloaded' } }, none]);
});
