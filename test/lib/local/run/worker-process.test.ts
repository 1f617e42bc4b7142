import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { superviseWorker, type WorkerProcess } from '../../../../lib/local/run/worker-process.ts';

let folder: string;
let worker: WorkerProcess | undefined;
const logged: string[] = [];
/** What the workers had written each time that agents were ended. */
const seen: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-worker-'));
  logged.length = 0;
  seen.length = 0;
});

afterEach(async () => {
  await worker?.stop(0);
  worker = undefined;
  await rm(folder, { recursive: true, force: true });
});

const logFile = () => join(folder, 'logs', 'worker.log');
const workerLog = async () => await readFile(logFile(), 'utf8').catch(() => '');

/** Supervises a worker that runs this program. */
async function supervise(
  source: string,
  env: Record<string, string> = {},
  onChange: (jobId: string) => void = () => undefined,
): Promise<WorkerProcess> {
  const program = join(folder, 'worker.mjs');
  await writeFile(program, source);
  worker = await superviseWorker({
    program,
    env,
    logFile: logFile(),
    log: (line) => logged.push(line),
    endAgents: async () => {
      seen.push(await workerLog());
    },
    onChange,
    restart: { first: 1, longest: 4, steady: 60_000 },
    logLimit: { bytes: 2_000, checkMs: 5 },
  });
  return worker;
}

const IDLE = `console.log('ready'); setInterval(() => undefined, 1e6);`;

test('a change that it sends over its channel is passed on', async () => {
  const changed: string[] = [];
  await supervise(`process.send({ changed: 'job_1' }); ${IDLE}`, {}, (jobId) => changed.push(jobId));
  await expect.poll(() => changed).toEqual(['job_1']);
});

test('its output goes to its log, and its environment is the given one, not ours', async () => {
  await supervise(`console.log('out', JSON.stringify(process.env)); console.error('err'); ${IDLE}`, {
    A: 'b',
    PATH: '/bin',
  });
  await expect.poll(workerLog).toContain('ready');
  const text = await workerLog();
  const env = JSON.parse(/^out (.*)$/m.exec(text)?.[1] ?? '{}') as Record<string, string>;
  expect(
    Object.keys(env)
      .filter((name) => !name.startsWith('NODE_CHANNEL'))
      .sort(),
  ).toEqual(['A', 'PATH']);
  expect(text).toContain('err');
});

test('the log of an earlier run is kept beside the new one', async () => {
  await supervise(`console.log('first run'); ${IDLE}`);
  await expect.poll(workerLog).toContain('ready');
  await worker?.stop(0);
  await supervise(`console.log('second run'); ${IDLE}`);
  await expect.poll(workerLog).toContain('ready');
  expect(await workerLog()).not.toContain('first run');
  expect(await readFile(`${logFile()}.1`, 'utf8')).toContain('first run');
});

test('a log that is full is kept beside an empty one, to which the same worker writes', async () => {
  await supervise(`
    import { existsSync } from 'node:fs';
    console.log('x'.repeat(2_000));
    const waiting = setInterval(() => {
      if (!existsSync('${folder}/go')) return;
      clearInterval(waiting);
      console.log('next');
    }, 5);
    setInterval(() => undefined, 1e6);`);
  await expect.poll(async () => await readFile(`${logFile()}.1`, 'utf8').catch(() => '')).toContain('x');
  await expect.poll(workerLog).toBe('');
  await writeFile(join(folder, 'go'), '');
  await expect.poll(workerLog).toBe('next\n');
});

test('it leads a new process group, so that Ctrl-C does not reach it', async () => {
  const { pid } = await supervise(IDLE);
  await expect.poll(workerLog).toContain('ready');
  const fields = (await readFile(`/proc/${pid()}/stat`, 'utf8')).split(') ')[1]?.split(' ');
  expect(Number(fields?.[2])).toBe(pid());
});

test('a worker that ends unexpectedly is started again, and its last lines are shown', async () => {
  await supervise(`
    import { existsSync, writeFileSync } from 'node:fs';
    if (!existsSync('${folder}/once')) { writeFileSync('${folder}/once', ''); console.log('a reason'); process.exit(3); }
    ${IDLE}`);
  await expect.poll(workerLog).toContain('ready');
  expect(logged.join()).toContain('exit code 3');
  expect(logged.join()).toContain('a reason');
});

test('a worker that was killed is started again', async () => {
  const { pid } = await supervise(IDLE);
  await expect.poll(workerLog).toContain('ready');
  const first = pid();
  process.kill(first ?? 0, 'SIGKILL');
  await expect.poll(async () => (await workerLog()).split('ready').length).toBe(3);
  expect(pid()).not.toBe(first);
  expect(logged.join()).toContain('SIGKILL');
  // Its agents would work on, beside those of its successor.
  expect(seen).toEqual(['ready\n']);
});

test('one that ends repeatedly is started with growing pauses', async () => {
  await supervise('process.exit(1)');
  await expect.poll(() => logged.length).toBeGreaterThan(4);
  const waits = logged.map((line) => Number(/in (\d+) ms/.exec(line)?.[1]));
  expect(waits.slice(0, 5)).toEqual([1, 2, 4, 4, 4]);
});

test('stopping sends SIGTERM and waits for the end', async () => {
  const { stop, pid } = await supervise(
    `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); ${IDLE}`,
  );
  await expect.poll(workerLog).toContain('ready');
  await stop(60_000);
  expect(await workerLog()).toContain('bye');
  expect(pid()).toBeUndefined();
  expect(logged).toEqual([]);
});

test('one that does not end is killed after its grace, with the rest of its group', async () => {
  const { stop } = await supervise(
    `
    import { spawn } from 'node:child_process';
    process.on('SIGTERM', () => undefined);
    const other = spawn('sleep', ['600'], { stdio: 'ignore' });
    console.log('other', other.pid);
    ${IDLE}`,
    { PATH: process.env.PATH ?? '' },
  );
  await expect.poll(workerLog).toContain('ready');
  const other = Number(/other (\d+)/.exec(await workerLog())?.[1]);
  await stop(50);
  // It is an orphan now, reaped by the system's first process in its own time.
  await expect.poll(async () => await readFile(`/proc/${other}/environ`, 'utf8').catch(() => '')).toBe('');
});

test('stopping while it waits to be started again starts none', async () => {
  const { stop, pid } = await supervise('process.exit(1)');
  await expect.poll(() => logged.length).toBeGreaterThan(0);
  await stop(1_000);
  expect(pid()).toBeUndefined();
});
