import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { processTable } from '../../../lib/platform/processes/process-table.ts';
import { PS_TABLE } from '../../../lib/platform/processes/ps-table.ts';

// As on macOS: processes are listed by `ps` instead of /proc.
process.env.PROMPTQ_PLATFORM = 'darwin-arm64';

beforeAll(() => expect(processTable()).toBe(PS_TABLE));

await import('./process-tree.test.ts');

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
