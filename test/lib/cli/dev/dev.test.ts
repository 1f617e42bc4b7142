import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Context } from '../../../../lib/cli/base/context.ts';
import { findCredentials } from '../../../../lib/cli/base/credentials.ts';
import { run } from '../../../../lib/cli/dev/dev.ts';
import { temporaryFolder } from '../command-line.ts';

vi.mock('node:child_process', () => ({ spawn: vi.fn() }));

const before = { SIGTERM: process.listeners('SIGTERM'), SIGHUP: process.listeners('SIGHUP') };
/** What the command does at a signal. */
const registered = (signal: 'SIGTERM' | 'SIGHUP') =>
  process.listeners(signal).filter((listener) => !before[signal].includes(listener));
afterEach(() => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    for (const listener of registered(signal)) process.off(signal, listener);
});

/** The command, and the process of the service that it has started. */
function dev(options: Parameters<typeof run>[2] = {}, folder = temporaryFolder()) {
  const child = Object.assign(new EventEmitter(), { pid: process.pid, kill: vi.fn() });
  vi.mocked(spawn).mockReturnValue(child as unknown as ReturnType<typeof spawn>);
  const interrupts = new Set<() => void>();
  const notes: string[] = [];
  const env = { XDG_CONFIG_HOME: folder, OTHER: 'x', PORT: '1' };
  const context = {
    env,
    terminal: { note: async (text: string) => void notes.push(text) },
    onInterrupt(handler: () => void) {
      interrupts.add(handler);
      return () => interrupts.delete(handler);
    },
  } as unknown as Context;
  return { child, env, interrupts, notes, ended: run(context, [], options) };
}

const end = async ({ child, ended }: Pick<ReturnType<typeof dev>, 'child' | 'ended'>, code: number | null) => {
  child.emit('exit', code);
  return await ended;
};

it.each([
  [{}, {}],
  [{ port: 0 }, { PORT: '0' }],
  [
    { port: 2, home: 'h', config: 'c' },
    { PORT: '2', PROMPTQ_HOME: 'h', PROMPTQ_CONFIG: 'c' },
  ],
])('starts the service with %j, in the environment of the command', async (options, settings) => {
  const running = dev(options);
  await vi.waitUntil(() => running.child.listenerCount('exit') > 0);
  expect(vi.mocked(spawn).mock.lastCall).toEqual([
    process.execPath,
    [expect.stringMatching(/\/bin\/local\.ts$/)],
    { env: { ...running.env, ...settings }, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
  ]);
  expect(await end(running, 0)).toBe(0);
});

it.each([
  [0, 0],
  [3, 1],
  [null, 1],
])('the end of the service with %j is the exit code %d', async (code, exitCode) => {
  const running = dev();
  await vi.waitUntil(() => running.child.listenerCount('exit') > 0);
  expect(await end(running, code)).toBe(exitCode);
});

it('other commands find the service while it runs', async () => {
  const running = dev();
  await vi.waitUntil(() => running.child.listenerCount('exit') > 0);
  running.child.emit('message', { url: 'http://127.0.0.1:1', token: 'pq_x' });
  const found = async () => await findCredentials(running.env).catch((error: Error) => error.message);
  await expect.poll(found).toEqual({ url: 'http://127.0.0.1:1', token: 'pq_x' });
  await end(running, 0);
  expect(await found()).toMatch(/^no service is known/);
});

it('notes that other commands cannot find it', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'promptq/local-run.json'), { recursive: true });
  writeFileSync(join(folder, 'promptq/local-run.json/x'), '');
  const running = dev({}, folder);
  await vi.waitUntil(() => running.child.listenerCount('exit') > 0);
  running.child.emit('message', { url: 'http://127.0.0.1:1', token: 'pq_x' });
  await vi.waitUntil(() => running.notes.length > 0);
  expect(running.notes).toEqual([expect.stringContaining("can't read")]);
  running.child.emit('exit', 0);
  await running.ended.catch(() => undefined);
});

it('each signal stops the service once, and Ctrl-C nothing more when it has ended', async () => {
  const running = dev();
  await vi.waitUntil(() => running.child.listenerCount('exit') > 0);
  const [term, hangup] = [registered('SIGTERM'), registered('SIGHUP')];
  expect([term.length, hangup.length, running.interrupts.size]).toEqual([1, 1, 1]);
  for (const stop of [...term, ...hangup, ...running.interrupts]) (stop as () => void)();
  expect(running.child.kill.mock.calls).toEqual([['SIGTERM'], ['SIGTERM'], ['SIGTERM']]);
  await end(running, 0);
  expect(running.interrupts.size).toBe(0);
});
