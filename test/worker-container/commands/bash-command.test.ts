import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { processTable } from '../../../lib/platform/processes/process-table.ts';
import { type BashCommand, runCommand } from '../../../worker-container/commands/bash-command.ts';
import { endMarkedLike } from '../../../worker-container/commands/process-tree.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

test('a command ends although a process that escaped it holds its output open', async () => {
  let printed = '';
  const end = await runCommand({
    command: `env -i setsid sleep 60 & echo $!; until [ "$(ps -o sid= -p $! | tr -d ' ')" = $! ]; do :; done; echo done`,
    ...{ cwd: tmpdir(), env: { PATH: process.env.PATH ?? '' }, mark: randomUUID(), account: undefined },
    ...{ redaction: new Redaction(), timeoutMs: 240_000, stopping: new AbortController().signal },
    onData: (chunk) => (printed += chunk.toString()),
  });
  const [pid, ...rest] = printed.split('\n');
  // It still runs, so nothing waited for it.
  expect(processTable().read(Number(pid))).toMatchObject({ zombie: false });
  process.kill(Number(pid), 'SIGKILL');
  expect(rest).toEqual(['done', '']);
  expect(end).toEqual({ ended: 'exited', exit: { exitCode: 0, signal: null }, survivors: [] });
});

/** Runs a command, and gives what it printed. */
async function run(command: string, more: Partial<BashCommand> = {}) {
  let printed = '';
  const end = await runCommand({
    ...{ command, cwd: tmpdir(), env: { PATH: process.env.PATH ?? '' }, mark: randomUUID(), account: undefined },
    ...{ redaction: new Redaction(['hunter2-secret']), timeoutMs: 240_000, stopping: new AbortController().signal },
    onData: (chunk) => {
      printed += chunk.toString();
    },
    ...more,
  });
  return { ...end, printed };
}

test('what a command prints is masked, and the beginning of a secret at its end is kept', async () => {
  expect((await run('echo it is hunter2-secret')).printed).toBe('it is ***\n');
  expect((await run('printf hunter2')).printed).toBe('hunter2');
});

test('what is printed a moment after the end of a command is kept', async () => {
  const escaped = `until [ "$(ps -o sid= -p $! | tr -d ' ')" = $! ]; do :; done`;
  const { printed } = await run(`env -i setsid bash -c "sleep 0.5; echo late" & ${escaped}; exit 3`);
  expect(printed).toBe('late\n');
});

test.each([true, false])('a command ends when its worker stops (told before it began: %s)', async (before) => {
  const stop = new AbortController();
  if (before) stop.abort();
  const onData = () => stop.abort();
  const { ended, exit } = await run('echo up; exec sleep 60', { stopping: stop.signal, onData });
  expect([ended, exit]).toEqual(['stopped', { exitCode: null, signal: 'SIGTERM' }]);
});

test('a command that survives has no exit', async () => {
  const mark = randomUUID();
  onTestFinished(async () => void (await endMarkedLike(mark)));
  const script = 'trap "" TERM; while :; do sleep 1; done';
  const { ended, exit, survivors } = await run(script, { mark, timeoutMs: 300, killTimeoutMs: 0 });
  expect([ended, exit]).toEqual(['timed out', { exitCode: null, signal: null }]);
  expect(survivors.length).toBeGreaterThan(0);
});
