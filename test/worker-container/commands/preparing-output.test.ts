import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { runPreparing } from '../../../worker-container/commands/preparing-process.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

/** Milliseconds that output may follow a process's end. */
const LATE_OUTPUT = 2_000;

vi.mock(import('node:timers/promises'), async (original) => {
  const timers = await original();
  const setTimeout: typeof timers.setTimeout = (ms, ...rest) =>
    ms === LATE_OUTPUT ? new Promise(() => {}) : timers.setTimeout(ms, ...rest);
  return { ...timers, setTimeout };
});

it('no more output is waited for once both pipes have ended', async () => {
  const exit = await runPreparing({
    ...{ command: 'bash', args: ['-c', 'echo out; echo error >&2'], env: { PATH: process.env.PATH ?? '' } },
    ...{ cwd: tmpdir(), mark: `preparing-output-${process.pid}`, account: undefined, ending: undefined },
    ...{ limit: 60_000, redaction: new Redaction() },
  });
  expect(exit).toMatchObject({ exitCode: 0, stderrTail: 'error\n' });
});
