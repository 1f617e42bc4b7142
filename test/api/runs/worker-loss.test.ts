import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsIn, readLines } from '../../captured-lines.ts';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { findMarkedAs, findWorker } from '../../marked-processes.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;

/** The worker that the local run has started. */
const untilWorker = async () => await waitFor(() => findWorker(service.home));

async function untilAttempt(id: string, attempt: number): Promise<void> {
  await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}/status`);
    return json.attempt === attempt && json.status === 'RUNNING';
  });
}

async function stdoutOf(id: string, attempt: number): Promise<string> {
  return (await service.api('GET', `/jobs/${id}/logs?stream=stdout&attempt=${attempt}`)).json.stdout;
}

describe('a worker that is killed', () => {
  let [first, gate, ran] = ['', '', ''];
  /** Its agent runs when the worker dies. */
  let running: string;
  /** A command of its project's binding runs when the worker dies. */
  let deploying: string;
  const states: string[] = [];
  const deployments = async () => {
    const { deployments } = (await service.api('GET', `/jobs/${deploying}`)).json;
    if (deployments[0] !== undefined && states.at(-1) !== deployments[0].state) states.push(deployments[0].state);
    return deployments;
  };
  const timesRun = () => readFileSync(ran, 'utf8').split('\n').length - 1;

  beforeAll(async () => {
    service = await startService({ env: { PROMPTQ_WATCH_SECONDS: '2' } });
    [first, gate, ran] = [join(service.home, 'first'), join(service.home, 'gate'), join(service.home, 'ran')];
    await service.api('POST', '/deploy-bindings', {
      binding_mode: 'custom',
      project: 'deployed',
      command: `echo x >> ${ran}; if [ $(wc -l < ${ran}) = 1 ]; then setsid sleep 600 & sleep 600; fi; echo again`,
    });
    deploying = await createJob(service, { profile: 'shell', project: 'deployed', prompt: 'true' });
    await waitFor(() => existsSync(ran));
    await waitFor(async () => (await deployments())[0]?.state === 'running');
    running = await createJob(service, {
      profile: 'shell',
      prompt: `
        if [ ! -e ${first} ]; then
          setsid sleep 600 & echo $! > ${first}; echo one; sleep 600
        fi
        if kill -0 $(cat ${first}) 2>/dev/null; then echo alive; else echo gone; fi
        while [ ! -e ${gate} ]; do sleep 0.05; done`,
    });
    await waitFor(async () => (await stdoutOf(running, 1)) === 'one\n');
    for (const mark of [`${running}/1`, `${deploying}/1/deployed.custom`]) expect(findMarkedAs(mark)).not.toEqual([]);
    const worker = await untilWorker();
    process.kill(worker, 'SIGKILL');
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  it('has its job run again, after its processes ended, and keeps the first output', async () => {
    await untilAttempt(running, 2);
    expect(findMarkedAs(`${running}/1`)).toEqual([]);
    await waitFor(async () => (await stdoutOf(running, 2)) === 'gone\n');
    expect(await stdoutOf(running, 1)).toBe('one\n');
    await writeFile(gate, '');
    expect(await untilEnded(service, running)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    // The loss has used no retry: there was none.
    expect((await service.api('GET', `/jobs/${running}`)).json).toMatchObject({ retries: 0, error: null });
  });

  it('is logged as a lost lease, with the job', async () => {
    const told = await waitFor(async () => {
      const lines = readLines(await readFile(join(service.home, 'logs', 'api.log'), 'utf8'));
      const isTold = lines.some(({ level, losses }) => level === 'WARN' && losses !== undefined);
      return isTold && metricsIn(lines).LeaseLosses !== undefined && lines;
    });
    expect(metricsIn(told).LeaseLosses).toEqual([1]);
    expect(told).toContainEqual(expect.objectContaining({ level: 'WARN', job_id: running, attempt: 1, losses: 1 }));
  });

  it("leaves the binding's command that it ran as failed, and it runs again only on a client's request", async () => {
    await waitFor(async () => (await deployments())[0]?.state !== 'running');
    expect(await deployments()).toMatchObject([
      { state: 'failed', attempts: 1, error: 'The worker that ran it was lost; how far it came is not known.' },
    ]);
    expect(findMarkedAs(`${deploying}/1/deployed.custom`)).toEqual([]);
    expect((await service.api('GET', `/jobs/${deploying}`)).json).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    expect([states, timesRun()]).toEqual([['running', 'failed'], 1]);
    const { status } = await service.api('POST', `/jobs/${deploying}/deployments/deployed.custom/retry`);
    expect(status).toBe(200);
    await waitFor(async () => (await deployments())[0]?.state === 'succeeded');
    expect(timesRun()).toBe(2);
  });
});

describe('a worker that was paused until another took its job over', () => {
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  it('changes nothing when it resumes', async () => {
    const [first, finish, gate] = ['first', 'finish', 'gate'].map((name) => join(service.home, name));
    const id = await createJob(service, {
      profile: 'shell',
      prompt: `
      until_there() { while [ ! -e $1 ]; do sleep 0.05; done; }
      if [ ! -e ${first} ]; then touch ${first}; echo one; until_there ${finish}; echo finished; exit 0; fi
      echo two; until_there ${gate}; echo three`,
    });
    await waitFor(async () => (await stdoutOf(id, 1)) === 'one\n');
    const frozen = await untilWorker();
    process.kill(frozen, 'SIGSTOP');
    const other = await startAnotherWorker(frozen);
    try {
      await writeFile(finish ?? '', '');
      await untilAttempt(id, 2);
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
});

/** A second worker beside the local run's, with the same settings and another folder. */
async function startAnotherWorker(like: number) {
  const settings = readFileSync(`/proc/${like}/environ`, 'utf8')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(/=(.*)/s));
  const folder = join(service.home, 'worker-2');
  const program = fileURLToPath(new URL('../../../worker-container/main.ts', import.meta.url));
  const worker = spawn(process.execPath, [program], {
    env: { ...Object.fromEntries(settings), PROMPTQ_WORK_DIR: folder, NODE_CHANNEL_FD: undefined },
    stdio: 'ignore',
  });
  await waitFor(() => existsSync(folder));
  return worker;
}
