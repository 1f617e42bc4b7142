import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type MeasuredRun, startRun } from './measured-run.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Rounds of jobs and of the reference that take turns, so that both meet the same load of the machine. */
const ROUNDS = { count: 5, jobs: 20, warmUp: 60 } as const;

/**
 * CPU time of the worker's process for a job that runs `true`, in multiples of what a Node process takes to start bash
 * and to make a few HTTP requests: work of the same kind, so that a busy machine makes both dearer.
 */
export async function jobCpu(): Promise<Record<string, number>> {
  const run = await startRun(ROOT, 2);
  try {
    await jobs(run, ROUNDS.warmUp);
    await reference(run, ROUNDS.warmUp);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS.count; round += 1)
      ratios.push((await jobs(run, ROUNDS.jobs)) / (await reference(run, ROUNDS.jobs)));
    // The least disturbed round.
    return { job: Math.round(Math.min(...ratios) * 100) / 100 };
  } finally {
    await run.stop();
  }
}

/** @returns the worker's CPU time for each of so many jobs, in ms */
async function jobs(run: MeasuredRun, count: number): Promise<number> {
  const before = await run.workerCpu();
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await run.create('true'));
  for (const id of ids) await run.untilEnded(id);
  return ((await run.workerCpu()) - before) / count;
}

/** HTTP requests for each start of bash: about as many as a job takes. */
const REQUESTS = 6;

/** @returns this process's CPU time for so many starts of bash, and requests, in ms for each */
async function reference(run: MeasuredRun, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < count; n += 1) {
    await once(spawn('bash', ['-c', 'true'], { stdio: 'ignore' }), 'exit');
    for (let request = 0; request < REQUESTS; request += 1) await run.isUp();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / count;
}
