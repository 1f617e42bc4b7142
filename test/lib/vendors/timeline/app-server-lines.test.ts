import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../../lib/vendors/timeline/agent-event.ts';
import { appServerChanges } from '../../../../lib/vendors/timeline/app-server-lines.ts';

const step = (fields: object, method = 'item/completed') => ({ method, params: { item: { id: 'I', ...fields } } });
const VENDOR = 'status 400: {"error":{"message":"no"}}';

it.each<[line: object, event: AgentEvent | undefined]>([
  [
    { id: 'thread', result: { thread: { id: 'T' } } },
    { kind: 'note', text: 'Session T' },
  ],
  [{ id: 'initialize', result: {} }, undefined],
  [{ id: 7, result: 'of another request' }, undefined],
  ...['initialize', 'login', 'thread', 'turn'].map((id): [object, AgentEvent] => [
    { id, error: { message: VENDOR } },
    { kind: 'error', text: 'status 400: no' },
  ]),
  [{ id: 'interrupt', error: { message: VENDOR } }, undefined],
  [{ id: 7, error: {} }, undefined],
  [
    { method: 'error', params: { error: { message: VENDOR } } },
    { kind: 'error', text: 'status 400: no' },
  ],
  [{ method: 'turn/completed', params: { turn: {} } }, undefined],
  [{ method: 'turn/completed', params: { turn: { error: null } } }, undefined],
  [
    { method: 'turn/completed', params: { turn: { error: { message: VENDOR } } } },
    { kind: 'error', text: 'status 400: no' },
  ],
  [{ method: 'account/updated' }, undefined],
])('an event of the session is shown as what it is (%#)', (line, event) => {
  expect(appServerChanges(line)).toEqual(event === undefined ? [] : [{ event }]);
});

it.each([undefined, {}, { type: 'error', method: 'error' }, { id: 'thread' }, { type: 'result', id: 1, result: '' }])(
  'a line that is not of the app server has no events (%#)',
  (line) => {
    expect(appServerChanges(line)).toBeUndefined();
  },
);

const command = { type: 'commandExecution', command: 'ls', status: 'completed' };
const shown = { kind: 'command', command: 'ls', output: '', exitCode: null, state: 'done' } as const;
const tool = { type: 'mcpToolCall', server: 's', tool: 't', arguments: null, status: 'completed' };
const called = { kind: 'tool', name: 's.t', input: '', output: '', state: 'done' } as const;
const files = { type: 'fileChange', changes: [{ path: 'a', kind: { type: 'add' } }], status: 'completed' };
const parts = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }];

/** Items that are calls, which are shown while they run too. */
const CALLS: [fields: object, event: AgentEvent][] = [
  [command, shown],
  [
    { ...command, status: 'inProgress' },
    { ...shown, state: 'running' },
  ],
  [
    { ...command, status: 'failed', exitCode: null },
    { ...shown, state: 'failed' },
  ],
  [
    { ...command, status: 'declined' },
    { ...shown, state: 'failed' },
  ],
  [
    { ...command, exitCode: 0, aggregatedOutput: 'out' },
    { ...shown, exitCode: 0, output: 'out' },
  ],
  [
    { ...command, exitCode: 1 },
    { ...shown, exitCode: 1, state: 'failed' },
  ],
  [tool, called],
  [
    { ...tool, arguments: { a: 1 }, status: 'failed' },
    { ...called, input: '{\n  "a": 1\n}', state: 'failed' },
  ],
  [
    { ...tool, result: { content: parts } },
    { ...called, output: 'a\n\nb' },
  ],
  [
    { ...tool, error: { message: 'no' }, result: { content: parts } },
    { ...called, output: 'no' },
  ],
  [files, { kind: 'files', changes: [{ path: 'a', change: 'add' }], state: 'done' }],
  [
    { type: 'webSearch', query: 'q', status: 'inProgress' },
    { kind: 'tool', name: 'webSearch', input: '{\n  "query": "q"\n}', output: '', state: 'running' },
  ],
];
/** Items that are texts, which are complete at their end only. */
const TEXTS: [fields: object, event: AgentEvent | undefined][] = [
  [
    { type: 'agentMessage', text: 'hi' },
    { kind: 'message', text: 'hi' },
  ],
  [
    { type: 'reasoning', summary: ['a', 'b'] },
    { kind: 'reasoning', text: 'a\n\nb' },
  ],
  [
    { type: 'reasoning', summary: ['a'], content: ['b'] },
    { kind: 'reasoning', text: 'a\n\nb' },
  ],
  [{ type: 'reasoning', summary: [] }, undefined],
  [{ type: 'userMessage', content: parts }, undefined],
  [{ type: 'userMessage', clientId: null, content: parts }, undefined],
  [
    { type: 'userMessage', clientId: 'msg_1', content: parts },
    { kind: 'note', text: 'a\n\nb' },
  ],
];

it.each([...CALLS, ...TEXTS])('an item that is complete is shown as what it is (%#)', (fields, event) => {
  expect(appServerChanges(step(fields))).toEqual(event === undefined ? [] : [{ key: 'I', event }]);
});

it('of items that begin, only calls are shown', () => {
  for (const [fields, event] of CALLS)
    expect(appServerChanges(step(fields, 'item/started'))).toEqual([{ key: 'I', event }]);
  for (const [fields] of TEXTS) expect(appServerChanges(step(fields, 'item/started'))).toEqual([]);
});

it('the tokens of each model call replace those before', () => {
  const total = { inputTokens: 1_000, cachedInputTokens: 2, outputTokens: 3_000, reasoningOutputTokens: 4 };
  const facts = [
    ['Session input', '1,000 tokens'],
    ['of which cached', '2'],
    ['output', '3,000 tokens'],
    ['of which reasoning', '4'],
  ];
  const line = { method: 'thread/tokenUsage/updated', params: { tokenUsage: { total } } };
  expect(appServerChanges(line)).toEqual([{ key: 'token-usage', event: { kind: 'usage', facts } }]);
});
