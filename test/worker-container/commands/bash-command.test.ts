import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { processTable } from '../../../lib/platform/processes/process-table.ts';
import { runCommand } from '../../../worker-container/commands/bash-command.ts';
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
