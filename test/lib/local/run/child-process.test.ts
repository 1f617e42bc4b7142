import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endProcess } from '../../../../lib/local/run/child-process.ts';

test('a process that could not be started is not waited for, whether it is known yet or not', async () => {
  const child = spawn('/no/such/program');
  const failed = once(child, 'error');
  await endProcess(child, 0);
  expect(await failed).toMatchObject([{ code: 'ENOENT' }]);
  await endProcess(child, 0);
});

test('a process that ignores SIGTERM is killed after the grace period, and one that has ended is not waited for', async () => {
  const child = spawn('bash', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], { stdio: 'pipe' });
  await once(child.stdout, 'data');
  await endProcess(child, 1);
  expect(child.signalCode).toBe('SIGKILL');
  await endProcess(child, 60_000);
});
