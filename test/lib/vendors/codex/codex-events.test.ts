import { expect, test } from 'vitest';
import { createCodexReader } from '../../../../lib/vendors/codex/codex-events.ts';

const RUN = [
  { type: 'thread.started', thread_id: 't-1' },
  { type: 'turn.started' },
  { type: 'error', message: 'Reconnecting... 1/1 (unexpected status 401 Unauthorized)' },
  { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Model metadata not found.' } },
  { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'first' } },
  { type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: 'läst 😀 "message"\n' } },
  {
    type: 'turn.completed',
    usage: { input_tokens: 12, cached_input_tokens: 5, output_tokens: 3, reasoning_output_tokens: 1 },
  },
];

function read(bytes: Buffer, size: number) {
  const reader = createCodexReader();
  for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
  return reader.facts();
}

function linesOf(events: readonly unknown[]): Buffer {
  return Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

test.for([1, 2, 3, 7, 100_000])('a run is read the same in pieces of %i bytes', (size) => {
  expect(read(linesOf(RUN), size)).toEqual({
    finished: true,
    sessionId: 't-1',
    finalMessage: 'läst 😀 "message"\n',
    usage: { input_tokens: 12, cached_input_tokens: 5, output_tokens: 3, reasoning_output_tokens: 1 },
  });
});

test('error events alone neither fail nor finish a run', () => {
  expect(read(linesOf(RUN.slice(0, 4)), 10)).toEqual({ finished: false, sessionId: 't-1', lacksPrompt: true });
});

test.each([
  ['exec', (message: string) => ({ type: 'error', message })],
  ['app-server', (message: string) => ({ method: 'error', params: { threadId: 'T', error: { message } } })],
])('codex that does not find its vendor ends a run until it does (%s)', (_drive, error) => {
  const waiting = error('Reconnecting... waiting for network (Connection failed: error sending request)');
  const lines = (count: number) => Array.from({ length: count }, () => waiting);
  const away = { finished: true, error: expect.any(String), park: { reason: 'vendor_overloaded' } };
  expect(read(linesOf(lines(5)), 100)).toMatchObject(away);
  for (const events of [lines(4), [...lines(4), error('Reconnecting... 1/5'), ...lines(4)], [...lines(5), RUN[1]]])
    expect(read(linesOf(events), 100)).toMatchObject({ finished: false });
});

test('a session has the prompt from the first item of the model on, or of the user', () => {
  expect(read(linesOf(RUN.slice(0, 5)), 10)).not.toHaveProperty('lacksPrompt');
  const opened = [
    { id: 'thread', result: { thread: { id: 't-1' } } },
    { method: 'turn/started', params: { threadId: 't-1', turn: {} } },
  ];
  const item = { type: 'userMessage', id: 'item-1', content: [] };
  const heard = (threadId: string) => ({ method: 'item/completed', params: { threadId, item } });
  expect(read(linesOf(opened), 10)).toMatchObject({ sessionId: 't-1', lacksPrompt: true });
  expect(read(linesOf([...opened, heard('another')]), 10)).toMatchObject({ lacksPrompt: true });
  expect(read(linesOf([...opened, heard('t-1')]), 10)).toEqual({ finished: false, open: true, sessionId: 't-1' });
});

test('a failed turn has a reason, with the message of an embedded vendor error', () => {
  function failed(message: string) {
    return read(linesOf([{ type: 'turn.failed', error: { message } }]), 1_000);
  }
  expect(failed('plain')).toEqual({ finished: true, error: 'plain' });
  expect(failed('{"error":{"message":"No such model","type":"x"}}').error).toBe('No such model');
  expect(failed('bad request: {"detail":"Unsupported model"}, url: u').error).toBe(
    'bad request: Unsupported model, url: u',
  );
  expect(failed('odd {braces} stay').error).toBe('odd {braces} stay');
});

test('the messages of the agent are passed on one by one, and nothing else', () => {
  const said: string[] = [];
  const reader = createCodexReader({ push: (text) => said.push(text), end: () => said.push('|') });
  reader.push(linesOf(RUN));
  expect(said).toEqual(['first', '|', 'läst 😀 "message"\n', '|']);
});
