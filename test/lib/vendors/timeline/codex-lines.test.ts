import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../../lib/vendors/timeline/agent-event.ts';
import { codexChanges } from '../../../../lib/vendors/timeline/codex-lines.ts';

const item = (fields: object, type = 'item.completed') => ({ type, item: { id: 'I', ...fields } });
const command = { type: 'command_execution', command: 'ls' };
const shown = { kind: 'command', command: 'ls', output: '', exitCode: null } as const;
const files = { type: 'file_change', changes: [{ path: 'a', kind: 'add' }] };
const VENDOR = 'status 400: {"error":{"message":"no"}}';

it.each<[line: object, event: AgentEvent | undefined]>([
  [
    { type: 'thread.started', thread_id: 'T' },
    { kind: 'note', text: 'Session T' },
  ],
  [{ type: 'turn.started' }, undefined],
  [
    { type: 'turn.failed', error: { message: VENDOR } },
    { kind: 'error', text: 'status 400: no' },
  ],
  [
    { type: 'error', message: VENDOR },
    { kind: 'error', text: 'status 400: no' },
  ],
])('an event of the session is shown as what it is (%#)', (line, event) => {
  expect(codexChanges(line)).toEqual(event === undefined ? [] : [{ event }]);
});

it.each<[fields: object, event: AgentEvent]>([
  [
    { type: 'agent_message', text: 'hi' },
    { kind: 'message', text: 'hi' },
  ],
  [
    { type: 'reasoning', text: 'hm' },
    { kind: 'reasoning', text: 'hm' },
  ],
  [
    { type: 'error', message: VENDOR },
    { kind: 'error', text: 'status 400: no' },
  ],
  [command, { ...shown, state: 'done' }],
  [
    { ...command, status: 'in_progress' },
    { ...shown, state: 'running' },
  ],
  [
    { ...command, status: 'completed', exit_code: 0 },
    { ...shown, exitCode: 0, state: 'done' },
  ],
  [
    { ...command, status: 'completed', exit_code: 1 },
    { ...shown, exitCode: 1, state: 'failed' },
  ],
  [
    { ...command, status: 'failed', exit_code: null },
    { ...shown, state: 'failed' },
  ],
  [
    { ...command, status: 'declined', aggregated_output: 'no' },
    { ...shown, output: 'no', state: 'failed' },
  ],
  [files, { kind: 'files', changes: [{ path: 'a', change: 'add' }], state: 'done' }],
  [
    { ...files, status: 'failed' },
    { kind: 'files', changes: [{ path: 'a', change: 'add' }], state: 'failed' },
  ],
  [
    { type: 'web_search', query: 'q', status: 'in_progress' },
    { kind: 'tool', name: 'web_search', input: '{\n  "query": "q"\n}', output: '', state: 'running' },
  ],
  [
    { type: 'file_change', changes: 'of a later version' },
    { kind: 'tool', name: 'file_change', input: '{\n  "changes": "of a later version"\n}', output: '', state: 'done' },
  ],
])('an item is shown as what it is, whichever line reports it (%#)', (fields, event) => {
  for (const type of ['item.started', 'item.updated', 'item.completed'])
    expect(codexChanges(item(fields, type))).toEqual([{ key: 'I', event }]);
});

it('the end of a turn shows its tokens', () => {
  const usage = {
    input_tokens: 1_000,
    cached_input_tokens: 2_000,
    output_tokens: 3_000,
    reasoning_output_tokens: 4_000,
  };
  const facts = [
    ['Input', '1,000 tokens'],
    ['of which cached', '2,000'],
    ['Output', '3,000 tokens'],
    ['of which reasoning', '4,000'],
  ];
  expect(codexChanges({ type: 'turn.completed', usage })).toEqual([{ event: { kind: 'usage', facts } }]);
});

it.each([undefined, {}, { type: 'assistant' }, { type: 'item.other', item: { id: 'I', type: 'x' } }])(
  'a line that is not of codex has no events (%#)',
  (line) => {
    expect(codexChanges(line)).toBeUndefined();
  },
);
