import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { attachFile } from '../../../worker-container/tools/attach-file.ts';
import { inPlaceOf, processIn } from '../service-accounts/planned-process.ts';

vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>();
  return { ...real, spawn: vi.fn(real.spawn) };
});
const real = await vi.importActual<typeof import('node:child_process')>('node:child_process');

let pidFile: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-attach-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  pidFile = join(folder, 'pid');
});
afterEach(() => {
  vi.useRealTimers();
  vi.mocked(spawn).mockImplementation(real.spawn);
});

/** A call whose copying process is a script. */
function attached(script: string, signal = new AbortController().signal) {
  const { started, spawn: planned } = inPlaceOf(real.spawn, script);
  vi.mocked(spawn).mockImplementation(planned as typeof spawn);
  const tool = attachFile({ cwd: '/work', attachments: '/attachments', account: undefined });
  return { answer: tool.call({ path: 'report' }, signal), started };
}

/** Another process keeps the pipe to the worker open. */
const held = () => `sleep 600 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 601`;

test('a copy that takes longer than a minute is ended, though another process keeps its output open', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { answer, started } = attached(held());
  await processIn(pidFile);
  const [child] = started;
  const ended = child && once(child, 'exit');
  vi.advanceTimersByTime(60_000);
  await expect(answer).rejects.toThrow('the copying process ended without an answer');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a copy that is given up is ended', async () => {
  const gone = new AbortController();
  const { answer, started } = attached(held(), gone.signal);
  await processIn(pidFile);
  const [child] = started;
  const ended = child && once(child, 'exit');
  gone.abort();
  await expect(answer).rejects.toThrow('the copying process ended without an answer');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a process that answers too much is ended', async () => {
  const { answer, started } = attached('trap "" PIPE; head -c 20000 /dev/zero 2> /dev/null; exec sleep 600');
  const [child] = started;
  const ended = child && once(child, 'exit');
  await expect(answer).rejects.toThrow('the process wrote more than 8192 bytes');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a copy leaves no timer and no listener behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { signal } = new AbortController();
  const { answer } = attached(String.raw`printf 'copied\t5\treport\n'`, signal);
  expect(await answer).toBe('Attached as report (5 bytes).');
  expect([vi.getTimerCount(), getEventListeners(signal, 'abort')]).toEqual([0, []]);
});
