import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endProcess, findProgram } from '../../../../lib/local/run/child-process.ts';

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

test('a process that ends by SIGTERM is not killed, and without a grace period it gets no SIGTERM', async () => {
  const start = async () => {
    const child = spawn('bash', ['-c', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done'], {
      stdio: 'pipe',
    });
    await once(child.stdout, 'data');
    return child;
  };
  const [polite, killed] = [await start(), await start()];
  await endProcess(polite, 60_000);
  expect([polite.exitCode, polite.signalCode]).toEqual([7, null]);
  await endProcess(killed, 0);
  expect([killed.exitCode, killed.signalCode]).toEqual([null, 'SIGKILL']);
});

test('a program is found in the first folder of the PATH that has it, never in the current one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const before = process.cwd();
  onTestFinished(async () => {
    process.chdir(before);
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  for (const name of ['a', 'b', 'c']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'program'), '', { mode: 0o755 });
  }
  await chmod(join(folder, 'a', 'program'), 0o644);
  vi.stubEnv('PATH', `:${join(folder, 'none')}:${join(folder, 'a')}:${join(folder, 'b')}:${join(folder, 'c')}`);
  expect(await findProgram('program')).toBe(join(folder, 'b', 'program'));
  process.chdir(join(folder, 'c'));
  vi.stubEnv('PATH', ':');
  expect(await findProgram('program')).toBeUndefined();
  vi.stubEnv('PATH', undefined);
  expect(await findProgram('program')).toBeUndefined();
});
