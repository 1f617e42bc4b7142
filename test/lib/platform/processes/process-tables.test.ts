import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PROC_TABLE } from '../../../../lib/platform/processes/proc-table.ts';
import { PS, PS_TABLE, rowsOf } from '../../../../lib/platform/processes/ps-table.ts';

/** No process has it: the kernel's numbers end before. */
const NO_PID = 2 ** 22 + 1;
const uid = process.getuid?.() ?? 0;

let children: ChildProcess[];
beforeEach(() => {
  children = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const child of children) child.kill('SIGKILL');
});

async function sleeping(env: Record<string, string> = {}, program = 'sleep'): Promise<number> {
  const child = spawn(program, ['1000'], { env: { ...env, PATH: process.env.PATH } });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

const TABLES = [
  ['/proc', PROC_TABLE, existsSync('/proc/self/stat')],
  ['ps', PS_TABLE, existsSync(PS)],
] as const;

describe.each(TABLES.filter(([, , isThere]) => isThere))('the list of %s', (_name, table) => {
  const listed = (pid: number) => {
    expect(table.pids()).toContain(pid);
    return table.listed(pid);
  };

  it('has the relations of a process, and when it started', async () => {
    const pid = await sleeping();
    const own = listed(process.pid);
    expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, zombie: false });
    expect(listed(pid)).toMatchObject({
      pid,
      parent: process.pid,
      group: own?.group,
      session: own?.session,
      zombie: false,
    });
    const leader = spawn('sleep', ['1000'], { detached: true });
    children.push(leader);
    await once(leader, 'spawn');
    const started = listed(leader.pid ?? 0);
    expect(started).toMatchObject({ group: leader.pid, session: leader.pid });
    const { startedAt } = started ?? { startedAt: 0 };
    expect(startedAt).toBeGreaterThanOrEqual(own?.startedAt ?? Infinity);
    expect(table.listedSince(startedAt, leader.pid ?? 0)).toMatchObject({ pid: leader.pid });
    expect(table.listedSince(startedAt + 1, leader.pid ?? 0)).toBeUndefined();
    expect([table.listed(NO_PID), table.listedSince(0, NO_PID), table.read(NO_PID)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('tells the user of a process', async () => {
    const pid = await sleeping();
    listed(pid);
    expect([table.mayBeOf(uid, pid), table.mayBeOf(uid + 1, pid), table.mayBeOf(uid, NO_PID)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([table.realUidOf(pid), table.realUidOf(NO_PID)]).toEqual([uid, undefined]);
  });

  it('has the values of a process that were there at its start, and no parts of other ones', async () => {
    // ps cuts a line off, and Linux's own prints ASCII only.
    const large = 'x'.repeat(table === PS_TABLE ? 1_000 : 100_000);
    const words = table === PS_TABLE ? 'two words' : 'two ü words';
    const env = { FIRST: '1', SECOND: words, EMPTY: '', A: large, B: large, LAST: 'z' };
    const pid = await sleeping(env);
    const valueFor = (name: string) => table.environmentOf(pid, name);
    // Until then the process shows what it was before.
    const lastOfList = () => table.pids().includes(pid) && valueFor('LAST');
    await expect.poll(lastOfList, { interval: 5 }).toBe('z');
    expect(['FIRST', 'SECOND', 'EMPTY', 'COND', 'OTHER', 'two'].map(valueFor)).toEqual([
      '1',
      words,
      '',
      undefined,
      undefined,
      undefined,
    ]);
    expect([valueFor('A')?.length, valueFor('B')?.length]).toEqual([large.length, large.length]);
    expect(table.environmentOf(NO_PID, 'FIRST')).toBeUndefined();
  });

  it('knows a process that has ended and is not reaped, whatever its command is called', async () => {
    const parent = spawn('perl', ['-e', 'fork or exit; sleep 1000']);
    children.push(parent);
    const ended = () =>
      table
        .pids()
        .map((pid) => table.listed(pid))
        .find((entry) => entry?.parent === parent.pid);
    await expect.poll(() => ended()?.zombie, { interval: 5 }).toBe(true);
    expect(listed(parent.pid ?? 0)?.zombie).toBe(false);
    const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    onTestFinished(async () => await rm(folder, { recursive: true }));
    const sleep = (process.env.PATH ?? '')
      .split(':')
      .map((path) => join(path, 'sleep'))
      .find((path) => existsSync(path));
    await symlink(sleep ?? '', join(folder, 'a) Z 1 (b'));
    const odd = await sleeping({}, join(folder, 'a) Z 1 (b'));
    expect(listed(odd)).toMatchObject({ parent: process.pid, zombie: false });
  });
});

it('what ps prints is read line by line, without ps itself, also where it names no session', () => {
  const printed = { pid: 9, status: 0, stderr: '' };
  const lines = [
    '    7     1     7 1f2e   501 Ss   Fri Nov 27 20:05:12 2026 /sbin/a A=b',
    '    8     7     7  301     0 Z    Mon Mar  2 01:02:03 2026 [a] <defunct>',
    '    9     7     9    0     0 R    Fri Nov 27 20:05:12 2026 /bin/ps',
    'no process',
  ];
  const about = { parent: 1, group: 7, session: 0, zombie: false, uid: 501, text: '/sbin/a A=b' };
  expect(rowsOf({ ...printed, stdout: lines.join('\n') })).toEqual([
    { pid: 7, ...about, startedAt: Date.UTC(2026, 10, 27, 20, 5, 12) / 1_000 },
    expect.objectContaining({ pid: 8, session: 301, zombie: true, startedAt: Date.UTC(2026, 2, 2, 1, 2, 3) / 1_000 }),
  ]);
});

it('a list that cannot be had is an error, unlike one without the process that is asked for', () => {
  const printed = { pid: 9, status: 1, stdout: '', stderr: '' };
  expect(rowsOf(printed)).toEqual([]);
  expect(rowsOf({ ...printed, status: 0, stderr: 'a warning' })).toEqual([]);
  expect(() => rowsOf({ ...printed, stderr: 'not allowed\n' })).toThrow("/bin/ps can't list processes: not allowed");
  expect(() => rowsOf({ ...printed, error: new Error('spawn ENOENT') })).toThrow("can't list processes: spawn ENOENT");
});
