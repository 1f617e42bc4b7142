import { expect, it, onTestFinished, vi } from 'vitest';
import { type CodexTurn, createCodexDrive } from '../../../worker-container/drives/codex-app-server.ts';

/** A drive, what it has sent and seen, and a way to answer it. */
function aDrive(turn: Partial<CodexTurn> = {}) {
  const sent: Record<string, unknown>[] = [];
  const seen: string[] = [];
  let closed = 0;
  const drive = createCodexDrive(
    { prompt: 'Do it.', model: undefined, resume: undefined, apiKey: undefined, sandbox: 'read-only', ...turn },
    {
      send: (message: unknown) => void sent.push(message as Record<string, unknown>),
      onSeen: (id: string) => void seen.push(id),
      close: () => {
        closed += 1;
      },
    } as Parameters<typeof createCodexDrive>[1],
  );
  const hear = (...lines: object[]) => {
    for (const line of lines) drive.push(Buffer.from(`${JSON.stringify(line)}\n`));
  };
  return { drive, sent, seen, hear, closed: () => closed };
}

/** Answers the newest request. */
function answer({ sent, hear }: ReturnType<typeof aDrive>, result: object = {}): void {
  hear({ id: sent.at(-1)?.id, result });
}

/** A drive whose turn runs. */
function running(turn: Partial<CodexTurn> = {}) {
  const one = aDrive(turn);
  one.drive.begin();
  const [{ id } = {}] = one.sent;
  one.hear({ id, result: {} });
  if (turn.apiKey !== undefined) answer(one);
  answer(one, { thread: { id: turn.resume ?? 'thread-1' } });
  answer(one, { turn: { id: 'turn-1' } });
  return one;
}

const methods = ({ sent }: ReturnType<typeof aDrive>) => sent.map(({ method }) => method);
const text = (words: string) => [{ type: 'text', text: words, text_elements: [] }];

it('a turn begins with a new thread, for which no one is asked to approve anything', () => {
  const one = running({ model: 'm-1' });
  expect(methods(one)).toEqual(['initialize', 'initialized', 'thread/start', 'turn/start']);
  const [first, , start, turn] = one.sent;
  expect(first?.params).toMatchObject({
    clientInfo: { name: 'promptq', title: null, version: '1' },
    capabilities: { experimentalApi: true, requestAttestation: false },
  });
  expect(start?.params).toEqual({ approvalPolicy: 'never', sandbox: 'read-only', model: 'm-1' });
  expect(turn?.params).toEqual({ threadId: 'thread-1', input: text('Do it.') });
});

it('what is repeated as a whole, or read by no one, is not sent', () => {
  const one = running();
  const [first] = one.sent;
  expect(first).toHaveProperty('params.capabilities.optOutNotificationMethods', [
    ...['item/agentMessage/delta', 'item/plan/delta', 'item/reasoning/textDelta', 'item/reasoning/summaryTextDelta'],
    ...['item/reasoning/summaryPartAdded', 'item/commandExecution/outputDelta', 'item/fileChange/outputDelta'],
    ...['item/fileChange/patchUpdated', 'command/exec/outputDelta', 'process/outputDelta', 'turn/diff/updated'],
    ...['thread/started', 'thread/status/changed', 'thread/readState/changed', 'remoteControl/status/changed'],
  ]);
});

it('a key is given to codex before its thread', () => {
  const one = running({ apiKey: 'key' });
  expect(methods(one)).toEqual([...['initialize', 'initialized', 'account/login/start', 'thread/start', 'turn/start']]);
  expect(one.sent[2]?.params).toEqual({ type: 'apiKey', apiKey: 'key' });
  expect(one.sent[3]?.params).toEqual({ approvalPolicy: 'never', sandbox: 'read-only' });
});

it('a session is continued, and no other one', () => {
  const one = running({ resume: 'session-1' });
  expect(one.sent[2]).toMatchObject({ method: 'thread/resume', params: { threadId: 'session-1', excludeTurns: true } });
  expect(one.closed()).toBe(0);
  for (const thread of [{ id: 'another' }, undefined]) {
    const other = aDrive({ resume: 'session-1' });
    other.drive.begin();
    other.hear({ id: other.sent[0]?.id, result: {} });
    answer(other, { thread });
    expect([other.closed(), methods(other).at(-1)]).toEqual([1, 'thread/resume']);
  }
});

it('messages wait until the turn has begun, and are seen when codex shows them', () => {
  const one = aDrive();
  one.drive.begin();
  expect(one.drive.say({ id: 'm1', text: 'First.' })).toBe(true);
  one.hear({ id: one.sent[0]?.id, result: {} });
  answer(one, { thread: { id: 'thread-1' } });
  one.drive.say({ id: 'm2', text: 'Second.' });
  expect(methods(one).at(-1)).toBe('turn/start');
  answer(one, { turn: { id: 'turn-1' } });
  expect(one.sent.map(({ id }) => id).slice(-2)).toEqual(['steer:m1', 'steer:m2']);
  expect(one.sent.at(-2)).toEqual({
    id: 'steer:m1',
    method: 'turn/steer',
    params: { threadId: 'thread-1', expectedTurnId: 'turn-1', clientUserMessageId: 'm1', input: text('First.') },
  });
  const item = (clientId: string, threadId = 'thread-1', type = 'userMessage') =>
    one.hear({ method: 'item/completed', params: { threadId, item: { type, clientId } } });
  item('m1', 'thread-of-another-agent');
  item('m1', 'thread-1', 'agentMessage');
  item('m3');
  expect(one.seen).toEqual([]);
  item('m1');
  item('m1');
  expect(one.seen).toEqual(['m1']);
});

it('a message that is refused is given again after the next item', () => {
  const one = running();
  one.drive.say({ id: 'm1', text: 'First.' });
  one.hear({ id: 'steer:m1', error: { message: 'busy' } });
  expect([methods(one).filter((method) => method === 'turn/steer').length, one.closed()]).toEqual([1, 0]);
  one.hear({ method: 'item/completed', params: { threadId: 'thread-1', item: { type: 'reasoning' } } });
  expect(methods(one).filter((method) => method === 'turn/steer')).toHaveLength(2);
});

it('a request that fails ends it, and so does the end of the turn', () => {
  const refused = aDrive();
  refused.drive.begin();
  refused.hear({ id: refused.sent[0]?.id, error: { message: 'no' } });
  expect([refused.closed(), refused.drive.say({ id: 'm1', text: 'a' })]).toEqual([1, false]);
  const one = running();
  one.hear({ method: 'turn/completed', params: { threadId: 'thread-of-another-agent' } });
  expect(one.closed()).toBe(0);
  one.hear({ method: 'turn/completed', params: { threadId: 'thread-1' } });
  expect([one.closed(), one.drive.say({ id: 'm1', text: 'a' })]).toEqual([1, false]);
  one.hear({ method: 'item/completed', params: { threadId: 'thread-1', item: { type: 'reasoning' } } });
  expect(methods(one)).not.toContain('turn/steer');
});

it('the input stays open while agents that codex has started work, unless they are silent for long', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const other = (method: string) => ({ method, params: { threadId: 'helper' } });
  const main = (method: string, status: string) => ({ method, params: { threadId: 'thread-1', turn: { status } } });
  const over = main('turn/completed', 'completed');
  const working = () => {
    const one = running();
    one.hear(other('turn/started'), over);
    expect([one.closed(), one.drive.say({ id: 'm1', text: 'a' })]).toEqual([0, false]);
    return one;
  };
  const ended = working();
  ended.hear(main('turn/started', 'inProgress'), other('turn/completed'));
  expect(ended.closed()).toBe(0);
  ended.hear(over);
  expect(ended.closed()).toBe(1);
  const silent = working();
  for (let minute = 0; minute < 59; minute += 1) {
    vi.advanceTimersByTime(60_000);
    silent.hear(other('item/completed'));
  }
  expect(silent.closed()).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(silent.closed()).toBe(1);
  const quiet = working();
  vi.advanceTimersByTime(300_000);
  expect(quiet.closed()).toBe(1);
  const failed = running();
  failed.hear(other('turn/started'), main('turn/completed', 'failed'));
  expect(failed.closed()).toBe(1);
});

it('what codex asks is declined, and what is none of its protocol is ignored', () => {
  const one = running();
  one.hear({ id: 7, method: 'item/commandExecution/requestApproval', params: {} });
  expect(one.sent.at(-1)).toEqual({
    id: 7,
    error: { code: -32601, message: 'not supported: no one is there to answer' },
  });
  const { length } = one.sent;
  one.drive.push(Buffer.from('no json\n[1]\n{"method":"turn/completed"}\n'));
  expect([one.sent.length, one.closed()]).toEqual([length, 0]);
});
