import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsIn, type PrintedLine, readLines } from '../../local-run/captured-lines.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { findAttemptMarks, findMarkedAs, findWorker } from '../../local-run/marked-processes.ts';
import { ASKING, asking, importAsking } from '../follow-up-script.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_WATCH_SECONDS: '2', PROMPTQ_CONCURRENCY: '4' } });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** The worker that the local run has started. */
const untilWorker = async () => await waitFor(() => findWorker(service.home));

const workerLog = async () => await readFile(join(service.home, 'logs', 'worker.log'), 'utf8');

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
  let [first, gate, gateOfFolder, ran] = ['', '', '', ''];
  /** Its agent runs when the worker dies. */
  let running: string;
  /** A command of its project's binding runs when the worker dies. */
  let deploying: string;
  /** The mark of that command's processes. */
  let commands: string;
  /** Follow-up jobs in one folder: one works there when the worker dies, and the other waits for it. */
  let [works, waits, record] = ['', '', ''];
  const states: string[] = [];
  const deployments = async () => {
    const { deployments } = (await service.api('GET', `/jobs/${deploying}`)).json;
    if (deployments[0] !== undefined && states.at(-1) !== deployments[0].state) states.push(deployments[0].state);
    return deployments;
  };
  const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
  const timesRun = () => readFileSync(ran, 'utf8').split('\n').length - 1;

  beforeAll(async () => {
    const names = ['first', 'gate', 'gate-of-folder', 'ran'];
    [first = '', gate = '', gateOfFolder = '', ran = ''] = names.map((name) => join(service.home, name));
    await service.api('POST', '/deploy-bindings', {
      binding_mode: 'custom',
      project: 'deployed',
      command: `echo x >> ${ran}; if [ $(wc -l < ${ran}) = 1 ]; then setsid sleep 600 & sleep 600; fi; echo again`,
    });
    deploying = await createJob(service, { profile: 'shell', project: 'deployed', prompt: 'true' });
    await waitFor(() => existsSync(ran));
    await waitFor(async () => (await deployments())[0]?.state === 'running');
    // No other job runs yet.
    [commands = ''] = findAttemptMarks(service.home).map(({ mark }) => mark);
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
    const inFolder = `echo begin >> record; while [ ! -e ${gateOfFolder} ]; do sleep 0.05; done; echo end >> record`;
    await importAsking(service);
    const child = { prompt: inFolder, profile: 'shell' };
    const parent = await createJob(service, { profile: ASKING, prompt: asking(child, child) });
    record = join(service.home, 'workspaces', 'local_project', parent, 'work', 'record');
    const children = await waitFor(async () => {
      const { follow_up_ids: ids } = await read(parent);
      return ids.length === 2 && (ids as string[]);
    });
    waits = await waitFor(async () => {
      const jobs = await Promise.all(children.map(read));
      return jobs.find(({ state_reason }) => state_reason.code === 'folder_busy')?.id;
    });
    works = children.find((id) => id !== waits) ?? '';
    await waitFor(() => existsSync(record));
    for (const mark of [`${running}/1`, commands]) expect(findMarkedAs(mark)).not.toEqual([]);
    const worker = await untilWorker();
    process.kill(worker, 'SIGKILL');
  });

  it('has its job run again, after its processes ended, and keeps the first output', async () => {
    await untilAttempt(running, 2);
    expect(findMarkedAs(`${running}/1`)).toEqual([]);
    // The service ended them at once: left to its successor, they would work on until that is ready.
    expect(await workerLog()).not.toContain('ended processes of an earlier worker');
    await waitFor(async () => (await stdoutOf(running, 2)) === 'gone\n');
    expect(await stdoutOf(running, 1)).toBe('one\n');
    await writeFile(gate, '');
    expect(await untilEnded(service, running)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    // The loss has used no retry: there was none.
    expect((await service.api('GET', `/jobs/${running}`)).json).toMatchObject({ retries: 0, error: null });
  });

  it('is the reason of its attempt, which has null in unknown fields', async () => {
    const unknown = { started_at: null, finished_at: null, exit_code: null, signal: null, resumed_from: null };
    expect((await read(running)).attempts).toEqual([
      expect.objectContaining({ attempt: 2, status: 'SUCCEEDED' }),
      { attempt: 1, status: 'QUEUED', state_reason: expect.objectContaining({ code: 'worker_lost' }), ...unknown },
    ]);
  });

  it('keeps the next job of the folder waiting until the lost one has run again', async () => {
    const runs = await waitFor(async () => {
      const jobs = await Promise.all([works, waits].map(read));
      return jobs.find(({ status, attempt, id }) => status === 'RUNNING' && (id === waits || attempt === 2));
    });
    await waitFor(async () => (await readFile(record, 'utf8')) === 'begin\nbegin\n');
    await waitFor(async () => {
      const { state_reason, queue } = await read(runs.id === works ? waits : works);
      return state_reason.code === 'folder_busy' && queue.held_by.includes(runs.id);
    });
    await writeFile(gateOfFolder, '');
    for (const id of [works, waits]) expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await readFile(record, 'utf8')).toBe('begin\nbegin\nend\nbegin\nend\n');
  });

  it('is logged as lost leases, with the jobs', async () => {
    const countIn = (lines: PrintedLine[]) => (metricsIn(lines).LeaseLosses ?? []).reduce((sum, each) => sum + each, 0);
    const told = await waitFor(async () => {
      const lines = readLines(await readFile(join(service.home, 'logs', 'api.log'), 'utf8'));
      const warned = lines.filter(({ level, losses }) => level === 'WARN' && losses !== undefined);
      return warned.length >= 2 && countIn(lines) >= 2 && lines;
    });
    expect(countIn(told)).toBe(2);
    for (const job_id of [running, works])
      expect(told).toContainEqual(expect.objectContaining({ level: 'WARN', job_id, attempt: 1, losses: 1 }));
  });

  it("leaves the binding's command that it ran as failed, and it runs again only on a client's request", async () => {
    await waitFor(async () => (await deployments())[0]?.state !== 'running');
    expect(await deployments()).toMatchObject([
      { state: 'failed', attempts: 1, error: 'The worker that ran it was lost; how far it came is not known.' },
    ]);
    expect(findMarkedAs(commands)).toEqual([]);
    expect((await service.api('GET', `/jobs/${deploying}`)).json).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    expect([states, timesRun()]).toEqual([['running', 'failed'], 1]);
    const { status } = await service.api('POST', `/jobs/${deploying}/deployments/deployed.custom/retry`);
    expect(status).toBe(200);
    await waitFor(async () => (await deployments())[0]?.state === 'succeeded');
    expect(timesRun()).toBe(2);
  });
});

describe('a worker that was paused until another took its job over', () => {
  it('leaves the job unchanged when it resumes', async () => {
    const [first, finish, gate] = ['paused', 'finish', 'gate-of-other'].map((name) => join(service.home, name));
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
