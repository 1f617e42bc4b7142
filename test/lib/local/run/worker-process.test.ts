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

test('writes its output to its log and gets only the given environment', async () => {
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

test('a worker that does not end is killed with its process group after the grace period', async () => {
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
