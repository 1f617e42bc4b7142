import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MeasuredRun } from './measured-run.ts';

/** Clients that create jobs at once. */
export const CLIENTS = 32;

/** A command that notes the time (s since 1970) in a file. */
export function noteTime(file: string): string {
  return `echo $EPOCHREALTIME > ${file}`;
}

/** The noted time, in ms since 1970. */
export async function notedTime(file: string): Promise<number> {
  const text = await readFile(file, 'utf8');
  await rm(file);
  return Number(text.replace(',', '.')) * 1000;
}

/** One job that does nothing but note the time, which is both its first and its last command. Times in ms. */
export async function single(
  measured: MeasuredRun,
  n: number,
): Promise<{ posted: number; started: number; seen: number }> {
  const file = join(measured.home, `time-${n}`);
  const posted = Date.now();
  const id = await measured.create(noteTime(file));
  await measured.untilEnded(id);
  const seen = Date.now();
  return { posted, started: await notedTime(file), seen };
}

/** What a drain measured. */
export interface Drained {
  /** Jobs created in a second, by `CLIENTS` at once. */
  readonly created: number;
  /** Jobs run in a second. */
  readonly rate: number;
  /** The worker's CPU time for a job, in ms. */
  readonly cpu: number;
}

/** Creates jobs while every slot is occupied, then measures how they drain. */
export async function drain(measured: MeasuredRun, slots: number, jobs: number): Promise<Drained> {
  const gate = join(measured.home, 'gate');
  const fillers = await Promise.all(
    Array.from({ length: slots }, () => measured.create(`while [ ! -e ${gate} ]; do sleep 0.2; done`)),
  );
  const ids: string[] = [];
  const creating = performance.now();
  await atOnce(CLIENTS, jobs, async () => void ids.push(await measured.create('true')));
  const created = jobs / ((performance.now() - creating) / 1000);
  const cpuBefore = await measured.workerCpu();
  const began = performance.now();
  await writeFile(gate, '');
  // They start about in their order, and asking about each would slow them down.
  for (const id of ids.slice(-slots - CLIENTS)) await measured.untilEnded(id);
  const seconds = (performance.now() - began) / 1000;
  const cpu = ((await measured.workerCpu()) - cpuBefore) / jobs;
  for (const id of [...fillers, ...ids]) await measured.untilEnded(id);
  await rm(gate);
  return { created, rate: jobs / seconds, cpu };
}

/** Does something so many times, a few at once. */
export async function atOnce(few: number, times: number, act: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < times) await act(next++);
  };
  await Promise.all(Array.from({ length: few }, lane));
}

/** The value below which a share of a sample lies. */
export function quantile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
