import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { emptyLog, LOG_BYTES, rotateLog } from '../logs/rotate-log.ts';
import { endProcess } from './child-process.ts';

const RESTART = { first: 1_000, longest: 30_000, steady: 60_000 } as const;
const LOG_LIMIT = { bytes: LOG_BYTES, checkMs: 10_000 } as const;

interface WorkerProcessOptions {
  /** The program, such as `worker-container/main.ts`. */
  readonly program: string;
  /** The complete environment of the worker. */
  readonly env: Readonly<Record<string, string>>;
  /** The file for its output; earlier ones are kept beside it as `.1` to `.3`. */
  readonly logFile: string;
  readonly log: (line: string) => void;
  /** Ends what a worker that ended unexpectedly left running, long before another one is ready to. */
  readonly endAgents: () => Promise<unknown>;
  /** Called with the id of each job that the worker has changed. */
  readonly onChange?: (jobId: string) => void;
  /** Milliseconds until an exited worker is restarted: doubled each time, reset once it has run for `steady`. */
  readonly restart?: Readonly<Record<keyof typeof RESTART, number>>;
  /** The length at which the log is moved, and the milliseconds between two checks of it. */
  readonly logLimit?: Readonly<Record<keyof typeof LOG_LIMIT, number>>;
}

export interface WorkerProcess {
  /** The current process id; undefined while it waits for a restart. */
  pid(): number | undefined;
  /** Sends SIGTERM, then after the grace period (ms) SIGKILL to it and its process group. */
  stop(graceMs: number): Promise<void>;
}

/**
 * A worker's output buffers live for milliseconds; V8's young generation would grow to tens of mebibytes before it
 * collects them.
 */
const FLAGS = ['--max-semi-space-size=4'] as const;

/** What a worker sends over its channel. */
const messageSchema = z.object({ changed: z.string() });

/** Bytes of a worker's log that are shown when it exits unexpectedly. */
const TAIL_BYTES = 2_000;

/**
 * Keeps a worker running as a child. It leads a separate process group, so that Ctrl-C at a terminal reaches only this
 * process, and has an IPC channel, whose `disconnect` event reports this process's exit.
 */
export async function superviseWorker(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const { program, env, logFile, log, restart = RESTART, logLimit = LOG_LIMIT } = options;
  await mkdir(dirname(logFile), { recursive: true, mode: 0o700 });
  rotateLog(logFile);
  // The worker has the file open, so it can't be replaced.
  const limiting = setInterval(() => emptyLog(logFile, logLimit.bytes), logLimit.checkMs).unref();
  const stopped = new AbortController();
  let child: ChildProcess | undefined;

  const liveOnce = async () => {
    const { child: started, ended } = await start(program, env, logFile);
    child = started;
    started.on('message', (message) => options.onChange?.(messageSchema.parse(message).changed));
    if (stopped.signal.aborted) await endProcess(started, 0);
    const ending = await ended;
    child = undefined;
    return ending;
  };
  const supervised = (async () => {
    for (let wait = restart.first; !stopped.signal.aborted; wait = Math.min(wait * 2, restart.longest)) {
      const startedAt = performance.now();
      const ending = await liveOnce().catch(String);
      if (stopped.signal.aborted) return;
      await options.endAgents().catch((error: unknown) => log(`what the worker left still runs: ${String(error)}`));
      if (performance.now() - startedAt >= restart.steady) wait = restart.first;
      log(
        `the worker ended unexpectedly (${ending}) and is started again in ${wait} ms; its last lines:\n${await tail(logFile)}`,
      );
      await delay(wait, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();

  return {
    pid: () => child?.pid,
    stop: async (graceMs) => {
      stopped.abort();
      const last = child;
      if (last !== undefined) {
        await endProcess(last, graceMs);
        if (last.pid !== undefined) killGroup(last.pid);
      }
      await supervised;
      clearInterval(limiting);
    },
  };
}

async function start(
  program: string,
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<{ child: ChildProcess; ended: Promise<string> }> {
  const file = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [...FLAGS, program], {
      env: { ...env },
      detached: true,
      stdio: ['ignore', file.fd, file.fd, 'ipc'],
    });
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      child.once('error', (error) => resolve(error.message));
    });
    return { child, ended };
  } finally {
    await file.close();
  }
}

async function tail(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(TAIL_BYTES),
      0,
      TAIL_BYTES,
      Math.max(0, size - TAIL_BYTES),
    );
    return buffer.toString('utf8', 0, bytesRead).trimEnd();
  } finally {
    await file.close();
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no processes left.
  }
}
