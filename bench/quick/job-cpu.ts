import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type MeasuredRun, startRun } from '../short/measured-run.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Rounds of jobs and of starts of bash that take turns, so that both meet the same load of the machine. */
const ROUNDS = { count: 3, jobs: 25, starts: 60, warmUp: 25 } as const;

/** CPU time of the worker's process for a job that runs `true`, in multiples of that for starting `bash -c true`. */
export async function jobCpu(): Promise<Record<string, number>> {
  const run = await startRun(ROOT, 2);
  try {
    await jobs(run, ROUNDS.warmUp);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS.count; round += 1)
      ratios.push((await jobs(run, ROUNDS.jobs)) / (await bareStarts(ROUNDS.starts)));
    // The least disturbed round.
    return { job: Math.round(Math.min(...ratios) * 10) / 10 };
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

/** @returns this process's CPU time for each of so many starts of bash, in ms */
async function bareStarts(count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < count; n += 1) await once(spawn('bash', ['-c', 'true'], { stdio: 'ignore' }), 'exit');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / count;
}
