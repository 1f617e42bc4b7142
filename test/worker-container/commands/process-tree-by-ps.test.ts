import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { processTable } from '../../../lib/platform/processes/process-table.ts';
import { PS_TABLE } from '../../../lib/platform/processes/ps-table.ts';
import { endMarkedLike, endTree, findMarked, spawnTree } from '../../../worker-container/commands/process-tree.ts';

// As on macOS: processes are listed by `ps` instead of /proc.
process.env.PROMPTQ_PLATFORM = 'darwin-arm64';

test('a value with spaces is read to its end, and only from the environment of the process', async () => {
  const child = spawn('sleep', ['1000'], { env: { FIRST: 'a folder of mine', SECOND: '2' } });
  try {
    await once(child, 'spawn');
    const read = (name: string) => {
      PS_TABLE.pids();
      return PS_TABLE.environmentOf(child.pid ?? 0, name);
    };
    await expect.poll(() => read('FIRST')).toBe('a folder of mine');
    expect([read('SECOND'), read('THIRD')]).toEqual(['2', undefined]);
  } finally {
    child.kill('SIGKILL');
  }
});

// All others of process-tree.test.ts run by `ps` in a long run.
test('nothing is left of a tree that has a child in another session', async () => {
  expect(processTable()).toBe(PS_TABLE);
  const mark = `test-${crypto.randomUUID()}`;
  onTestFinished(async () => void (await endMarkedLike(mark)));
  const script = 'trap "" INT TERM; setsid sleep 1000 & echo up; while :; do sleep 1000; done';
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  const bash = { command: 'bash', args: ['-c', script], env, cwd: '/', mark, stdin: undefined, account: undefined };
  const tree = await spawnTree(bash);
  await once(tree.stdout, 'data');
  await expect.poll(() => findMarked(mark).length).toBeGreaterThanOrEqual(3);
  expect(await endTree({ child: tree, mark, politeSignal: 'SIGTERM', kill: true })).toBeGreaterThan(0);
  expect(findMarked(mark)).toEqual([]);
});
