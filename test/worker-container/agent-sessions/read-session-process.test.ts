import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { readSessionFile } from '../../../worker-container/agent-sessions/read-session-file.ts';
import { inPlaceOf, processIn } from '../service-accounts/planned-process.ts';

vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>();
  return { ...real, spawn: vi.fn(real.spawn) };
});
const real = await vi.importActual<typeof import('node:child_process')>('node:child_process');

let pidFile: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-reader-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  pidFile = join(folder, 'pid');
});
afterEach(() => {
  vi.useRealTimers();
  vi.mocked(spawn).mockImplementation(real.spawn);
});

const REQUEST = { folder: '/sessions', sessionId: 'id', from: 0, most: 1_000, account: undefined };

/** A read whose process is a script. */
function read(script: string) {
  const { started, spawn: planned } = inPlaceOf(real.spawn, script);
  vi.mocked(spawn).mockImplementation(planned as typeof spawn);
  return { part: readSessionFile(REQUEST), started };
}

test('a reader that takes longer than ten seconds is ended, though another process keeps its output open', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { part, started } = read(`sleep 600 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 601`);
  await processIn(pidFile);
  const [child] = started;
  const ended = child && once(child, 'exit');
  vi.advanceTimersByTime(10_000);
  await expect(part).rejects.toThrow('the reader of the session was ended');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a reader that gives too much is ended', async () => {
  const { part, started } = read('trap "" PIPE; head -c 20000 /dev/zero 2> /dev/null; exec sleep 600');
  const [child] = started;
  const ended = child && once(child, 'exit');
  await expect(part).rejects.toThrow('the process wrote more than 9192 bytes');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test.each([
  [
    'an answer without its end',
    String.raw`printf 'found\tid\t9\tp\nhalf'; exit 1`,
    'the reader of the session was ended',
  ],
  ['no answer', 'true', 'the reader of the session ended without an answer'],
])('%s is no part of a session', async (_, script, why) => {
  await expect(read(script).part).rejects.toThrow(why);
});

test('a reader that cannot be started is reported as that', async () => {
  const { spawn: missing } = inPlaceOf((_command, args, options) => real.spawn('/no/such/perl', args, options), '');
  vi.mocked(spawn).mockImplementation(missing as typeof spawn);
  await expect(readSessionFile(REQUEST)).rejects.toThrow('ENOENT');
});

test('a read leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { part } = read(String.raw`printf 'found\tid\t4\tp\nhalf'`);
  expect(await part).toMatchObject({ identity: 'id', size: 4, path: 'p', bytes: Buffer.from('half') });
  expect(vi.getTimerCount()).toBe(0);
});
