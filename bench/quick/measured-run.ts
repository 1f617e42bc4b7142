import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { findProgram } from '../../lib/local/run/child-process.ts';

const infoSchema = z.object({ base_url: z.string(), token: z.string(), pid: z.number() });
const jobSchema = z.object({ id: z.string(), terminal: z.boolean().default(false), status: z.string().default('') });

/** Milliseconds that a local run may take to start. */
const START_LIMIT_MS = 90_000;

/** A local run of a checkout, in a temporary home, that is measured from outside. */
export interface MeasuredRun {
  /** A folder for the files of its jobs. */
  readonly home: string;
  /** Creates a job of the shell. @returns its id */
  create(prompt: string): Promise<string>;
  /** Waits for a job as a client does. @throws Error unless it succeeds */
  untilEnded(id: string): Promise<void>;
  /** Makes one cheap request. */
  isUp(): Promise<void>;
  /** CPU time (ms) of the worker's process, without its children, in steps of 10. */
  workerCpu(): Promise<number>;
  stop(): Promise<void>;
}

/** @throws Error if it does not start in time */
export async function startRun(checkout: string, slots: number): Promise<MeasuredRun> {
  const home = await mkdtemp(join(tmpdir(), 'promptq-bench-'));
  // A benchmark that is killed leaves no run behind.
  const setpriv = await findProgram('setpriv');
  const [program = '', ...args] = [
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'TERM']),
    process.execPath,
    join(checkout, 'bin', 'local.ts'),
  ];
  const child = spawn(program, args, {
    cwd: checkout,
    // biome-ignore lint/style/noProcessEnv: PATH, for the tools that the run starts
    env: { ...process.env, HOME: home, PORT: '0', PROMPTQ_HOME: home, PROMPTQ_CONCURRENCY: String(slots) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(home, { recursive: true, force: true });
  };
  try {
    const info = await started(home);
    const worker = await workerOf(info.pid);
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${info.base_url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${info.token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return jobSchema.parse(await response.json());
    };
    return {
      home,
      create: async (prompt) => (await call('POST', '/jobs', { prompt, profile: 'shell' })).id,
      untilEnded: async (id) => {
        for (;;) {
          const { terminal, status } = await call('GET', `/jobs/${id}/status?wait=25`);
          if (terminal && status !== 'SUCCEEDED') throw new Error(`${id} is ${status}`);
          if (terminal) return;
        }
      },
      isUp: async () => void (await (await fetch(`${info.base_url}/api/v1/health`)).arrayBuffer()),
      workerCpu: () => cpuMs(worker),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function started(home: string): Promise<z.output<typeof infoSchema>> {
  const end = performance.now() + START_LIMIT_MS;
  for (;;) {
    const text = await readFile(join(home, 'local.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return infoSchema.parse(JSON.parse(text));
    if (performance.now() > end) throw new Error(`the local run did not start within ${START_LIMIT_MS / 1000} s`);
    await delay(100);
  }
}

/** The worker among a local run's children. */
async function workerOf(parent: number): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('worker-container/main.ts') && Number((await statOf(Number(pid)))[1]) === parent)
      return Number(pid);
  }
  throw new Error('no worker runs');
}

/** User and system time, of a clock of 100 Hz. */
async function cpuMs(pid: number): Promise<number> {
  const fields = await statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The fields of proc_pid_stat(5) from the third on. */
async function statOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
