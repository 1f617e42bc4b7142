import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROC_TABLE } from '../../../../lib/platform/processes/proc-table.ts';

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
