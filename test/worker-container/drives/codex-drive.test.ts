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

it('a message that is refused is given again after the next item', () => {
  const one = running();
  one.drive.say({ id: 'm1', text: 'First.' });
  one.hear({ id: 'steer:m1', error: { message: 'busy' } });
  expect([methods(one).filter((method) => method === 'turn/steer').length, one.closed()]).toEqual([1, 0]);
  one.hear({ method: 'item/completed', params: { threadId: 'thread-1', item: { type: 'reasoning' } } });
  expect(methods(one).filter((method) => method === 'turn/steer')).toHaveLength(2);
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
