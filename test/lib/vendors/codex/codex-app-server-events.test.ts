import { expect, it } from 'vitest';
import { createCodexAppServerReader } from '../../../../lib/vendors/codex/codex-app-server-events.ts';
import type { AgentFacts } from '../../../../lib/vendors/output/agent-output.ts';

/** What is known after lines, and the messages in them. */
function read(...lines: unknown[]) {
  const said: string[] = [];
  const reader = createCodexAppServerReader({ push: (text) => said.push(text), end: () => said.push('|') });
  const taken = lines.map((line) => reader.read(line));
  return { facts: reader.facts(), said, taken };
}

const THREAD = { id: 'thread', result: { thread: { id: 'T' }, model: 'gpt' } };
const OPENED: AgentFacts = { finished: false, open: true, sessionId: 'T', model: 'gpt', lacksPrompt: true };
const item = (fields: object, threadId = 'T') => ({ method: 'item/completed', params: { threadId, item: fields } });
const said = (text: string, threadId?: string) => item({ type: 'agentMessage', text }, threadId);
const ended = (turn: object, threadId = 'T') => ({ method: 'turn/completed', params: { threadId, turn } });
const tokens = (threadId: string) => ({
  method: 'thread/tokenUsage/updated',
  params: {
    threadId,
    tokenUsage: { total: { inputTokens: 1, cachedInputTokens: 2, outputTokens: 3, reasoningOutputTokens: 4 } },
  },
});

it.each<[line: unknown, isTaken: boolean]>([
  [{ method: 'other/news' }, true],
  [{ id: 7, result: {} }, true],
  [{ id: 'x', error: {} }, true],
  [{ type: 'turn.started' }, false],
  [{ id: 'x' }, false],
  ['method', false],
])('lines of the app server are taken, and open a run that nothing is known of (%#)', (line, isTaken) => {
  expect(read(line)).toEqual({
    ...{ facts: isTaken ? { finished: false, open: true } : undefined, said: [], taken: [isTaken] },
  });
});

it('a line that was understood is taken as well, whichever thread it is about', () => {
  const failed = { id: 'turn', error: { message: 'no' } };
  const all = [THREAD, said('a'), said('b', 'other'), ended({ status: 'completed' }), failed];
  expect(read(...all).taken).toEqual(all.map(() => true));
});

it('the thread that is opened is the session, which lacks the prompt until that was heard', () => {
  expect(read(THREAD).facts).toEqual(OPENED);
  const { model: _model, ...nameless } = OPENED;
  expect(read({ id: 'thread', result: { thread: { id: 'T' }, model: '' } }).facts).toEqual(nameless);
  expect(read({ id: 'turn', result: { thread: { id: 'T' } } }).facts).toEqual({ finished: false, open: true });
  const { lacksPrompt: _lacks, ...prompted } = OPENED;
  expect(read(THREAD, item({ type: 'userMessage' })).facts).toEqual(prompted);
  expect(read(THREAD, item({ type: 'userMessage' }, 'other')).facts).toEqual({ ...OPENED, helpers: 1 });
  expect(read(THREAD, item({ type: 'reasoning' })).facts).toEqual(OPENED);
});

it('messages are those of the own thread, and tokens the last of each thread', () => {
  const { facts, said: all } = read(THREAD, said('a'), said('no', 'other'), said('b'), tokens('T'));
  const usage = { input_tokens: 1, cached_input_tokens: 2, output_tokens: 3, reasoning_output_tokens: 4 };
  expect(facts).toEqual({ ...OPENED, finalMessage: 'b', usage, helpers: 1 });
  expect(all).toEqual(['a', '|', 'b', '|']);
  expect(read(THREAD, tokens('other'), tokens('other')).facts).toEqual({ ...OPENED, usage });
  const both = read(THREAD, tokens('other'), tokens('T')).facts;
  expect(both?.usage).toMatchObject({ input_tokens: 2, output_tokens: 6 });
});

it.each<[line: unknown, end: Partial<AgentFacts>]>([
  [ended({ status: 'completed' }), {}],
  [ended({ status: 'completed', error: { message: 'no' } }), {}],
  [ended({ status: 'interrupted' }), { error: 'the turn ended: interrupted' }],
  [ended({ status: 'failed', error: null }), { error: 'the turn ended: failed' }],
  [ended({ status: 'failed', error: { message: '400: {"detail":"no"}' } }), { error: '400: no' }],
  [
    ended({ status: 'failed', error: { message: 'The usage limit has been reached' } }),
    { error: 'The usage limit has been reached', park: { reason: 'usage_limit' } },
  ],
  ...['initialize', 'login', 'thread', 'turn'].map((id): [unknown, Partial<AgentFacts>] => [
    { id, error: { message: 'Not logged in' } },
    { error: 'Not logged in', park: { reason: 'account_required' } },
  ]),
])('the end of the turn, or a request of the worker that failed, ends the run (%#)', (line, end) => {
  expect(read(THREAD, line).facts).toEqual({ ...OPENED, finished: true, open: false, ...end });
});
