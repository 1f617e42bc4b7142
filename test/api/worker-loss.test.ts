import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../local-service.ts';
import { findMarkedAs, findOfHome } from '../marked-processes.ts';
import { createJob, untilEnded } from './job-client.ts';

let service: ServiceUnderTest;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  expect(await service.stop()).toBe(0);
});

/** The worker that the local run has started. */
async function findWorker(): Promise<number> {
  return await waitFor(() =>
    findOfHome(service.home).find((pid) => {
      const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return program === process.execPath && args.some((arg) => arg.endsWith('worker-container/main.ts'));
    }),
  );
}

async function untilAttempt(id: string, attempt: number, timeoutMs: number): Promise<{ started_at: string }> {
  return await waitFor(
    async () => {
      const { json } = await service.api('GET', `/jobs/${id}/status`);
      return json.attempt === attempt && json.status === 'RUNNING' ? json : undefined;
    },
    { timeoutMs },
  );
}

async function stdoutOf(id: string, attempt: number): Promise<string> {
  return (await service.api('GET', `/jobs/${id}/logs?stream=stdout&attempt=${attempt}`)).json.stdout;
}

it('a job whose worker was killed runs again within 45 s, its first output kept, its processes gone before', {
  timeout: 120_000,
}, async () => {
  const [first, gate] = [join(service.home, 'first'), join(service.home, 'gate')];
  const id = await createJob(service, {
    profile: 'shell',
    prompt: `
      if [ ! -e ${first} ]; then
        setsid sleep 600 & echo $! > ${first}; echo one; sleep 600
      fi
      if kill -0 $(cat ${first}) 2>/dev/null; then echo alive; else echo gone; fi
      while [ ! -e ${gate} ]; do sleep 0.05; done`,
  });
  await waitFor(async () => (await stdoutOf(id, 1)) === 'one\n');
  const worker = await findWorker();
  expect(findMarkedAs(`${id}/1`)).not.toEqual([]);
  const killedAt = Date.now();
  process.kill(worker, 'SIGKILL');

  const { started_at: startedAt } = await untilAttempt(id, 2, 60_000);
  expect(Date.parse(startedAt) - killedAt).toBeLessThan(45_000);
  expect(findMarkedAs(`${id}/1`)).toEqual([]);
  await waitFor(async () => (await stdoutOf(id, 2)) === 'gone\n');
  expect(await stdoutOf(id, 1)).toBe('one\n');
  await writeFile(gate, '');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  // The loss has spent no retry: there was none.
  expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ retries: 0, error: null });
});

it('a worker that was frozen until another took its job over changes nothing when it goes on', {
  timeout: 150_000,
}, async () => {
  const [first, finish, gate] = ['first', 'finish', 'gate'].map((name) => join(service.home, name));
  const id = await createJob(service, {
    profile: 'shell',
    prompt: `
      until_there() { while [ ! -e $1 ]; do sleep 0.05; done; }
      if [ ! -e ${first} ]; then touch ${first}; echo one; until_there ${finish}; echo finished; exit 0; fi
      echo two; until_there ${gate}; echo three`,
  });
  await waitFor(async () => (await stdoutOf(id, 1)) === 'one\n');
  const frozen = await findWorker();
  process.kill(frozen, 'SIGSTOP');
  const other = await startAnotherWorker(frozen);
  try {
    await writeFile(finish ?? '', '');
    await untilAttempt(id, 2, 80_000);
    process.kill(frozen, 'SIGCONT');
    const log = join(service.home, 'logs', 'worker.log');
    await waitFor(async () => (await readFile(log, 'utf8')).includes('the report was refused'));
    await waitFor(async () => (await stdoutOf(id, 2)) === 'two\n');
    expect((await service.api('GET', `/jobs/${id}/status`)).json).toMatchObject({ status: 'RUNNING', attempt: 2 });
    await writeFile(gate ?? '', '');
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    const { json } = await service.api('GET', `/jobs/${id}/result`);
    expect(json).toMatchObject({ stdout: 'two\nthree\n', stdout_bytes: 10 });
    // What the first attempt wrote is kept as evidence, apart.
    expect(await stdoutOf(id, 1)).toMatch(/^one\n/);
  } finally {
    process.kill(frozen, 'SIGCONT');
    other.kill('SIGTERM');
    await once(other, 'exit');
  }
});

/** A second worker beside the local run's, with the same settings and a folder of its own. */
async function startAnotherWorker(like: number) {
  const settings = readFileSync(`/proc/${like}/environ`, 'utf8')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(/=(.*)/s));
  const folder = join(service.home, 'worker-2');
  const program = fileURLToPath(new URL('../../worker-container/main.ts', import.meta.url));
  const worker = spawn(process.execPath, [program], {
    env: { ...Object.fromEntries(settings), PROMPTQ_WORK_DIR: folder, NODE_CHANNEL_FD: undefined },
    stdio: 'ignore',
  });
  await waitFor(() => existsSync(folder));
  return worker;
}
