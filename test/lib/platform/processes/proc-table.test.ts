import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { entryIn, PROC_TABLE, startsIn, valueIn } from '../../../../lib/platform/processes/proc-table.ts';

/** More than there are numbers of processes: they have begun again since. */
const ALL_NUMBERS = 2 ** 22;

const linux = it.skipIf(!existsSync('/proc/self'));

linux('processes that started before another are left out, those after it are listed', () => {
  const starts = PROC_TABLE.starts();
  const [first, second] = [spawn('sleep', ['1000']), spawn('sleep', ['1000'])];
  try {
    const listed = PROC_TABLE.pids({ pid: first.pid ?? 0, starts });
    expect(listed).toContain(first.pid);
    expect(listed).toContain(second.pid);
    // The number of `first` may be among the highest, after which numbers begin again.
    expect(PROC_TABLE.pids({ pid: 2, starts })).not.toContain(1);
  } finally {
    for (const child of [first, second]) child.kill('SIGKILL');
  }
});

linux('all processes are listed when numbers may have begun again, or it is unknown when the other started', () => {
  const since = { pid: process.pid };
  expect(PROC_TABLE.pids({ ...since, starts: (PROC_TABLE.starts() ?? 0) - ALL_NUMBERS })).toContain(1);
  expect(PROC_TABLE.pids(since)).toContain(1);
  expect(PROC_TABLE.pids()).toContain(1);
});

linux('of processes that started since a time, an older one is left out however often it is read', () => {
  const own = PROC_TABLE.read(process.pid);
  const startedAt = own?.startedAt ?? 0;
  for (let round = 0; round < 2; round += 1) {
    expect(PROC_TABLE.listedSince(startedAt + 1, process.pid)).toBeUndefined();
    expect(PROC_TABLE.listedSince(startedAt, process.pid)).toMatchObject({ pid: process.pid, startedAt });
  }
});

it('a process has ended if it is dead, or a zombie of whose threads none runs', () => {
  const stat = (state: string, threads: number) =>
    `7 (a) Z 1 (b) ${state} 6 5 4 0 -1 0 0 0 0 0 0 0 0 0 20 0 ${threads} 0 123 0 0`;
  const entry = { pid: 7, parent: 6, group: 5, session: 4, startedAt: 123 };
  expect(entryIn(stat('S', 1), 7)).toEqual({ ...entry, zombie: false });
  const ended = [
    ['X', 2],
    ['Z', 0],
    ['Z', 1],
    ['Z', 2],
    ['R', 1],
  ] as const;
  expect(ended.map(([state, threads]) => entryIn(stat(state, threads), 7).zombie)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it('a kernel that does not count its processes tells nothing by that', () => {
  expect(['cpu 1\nprocesses 42\nprocs_running 1\n', 'processes 0\n', 'cpu 1\n'].map(startsIn)).toEqual([
    42,
    undefined,
    undefined,
  ]);
});

it('of a variable that is there twice, the first value counts, also without an end', () => {
  const environment = Buffer.from('A=1\0AB=2\0A=3\0B=4\0B=5');
  expect(['A', 'B', 'AB', 'C', '1'].map((name) => valueIn(environment, name))).toEqual([
    '1',
    '4',
    '2',
    undefined,
    undefined,
  ]);
  expect(valueIn(Buffer.from('A=last'), 'A')).toBe('last');
});
