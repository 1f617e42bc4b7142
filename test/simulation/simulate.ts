import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { add, newTally, runWorlds, type Tally, untried } from './worlds/run-worlds.ts';
import { World } from './worlds/world.ts';

/**
 * `npm run prove -- simulate [--lives N] [--seconds N] [--seed N] [--threads N] [--nightly] [--replay]`: many worlds on all
 * cores, or one once more. Without a seed the worlds follow from the commit.
 */

/** Steps of a broken world that are shown. */
const LAST_STEPS = 120;

/** In so many lives every kind of fault, call and event must have happened. */
const ENOUGH_FOR_ALL = 10_000;

const DEFAULT_LIVES = 50_000;

/** Lives between two lines of progress. */
const PROGRESS = 50_000;

const NIGHTLY = { lives: 1_000_000, seconds: 4 * 3_600 };

if (isMainThread) process.exitCode = await main();
else {
  // Worlds throw thousands of errors that are never read.
  Error.stackTraceLimit = 0;
  const onWorld = (lives: number) => parentPort?.postMessage(lives);
  parentPort?.postMessage(await runWorlds({ ...workerData, onWorld }));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      lives: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      threads: { type: 'string', default: String(availableParallelism()) },
      nightly: { type: 'boolean', default: false },
      replay: { type: 'boolean', default: false },
    },
  });
  const seed = values.seed === undefined ? seedOfCommit() : Number(values.seed);
  if (values.replay) return await replay(seed, Number.POSITIVE_INFINITY);
  const began = performance.now();
  const lives = Number(values.lives ?? (values.nightly ? NIGHTLY.lives : DEFAULT_LIVES));
  const seconds = Number(values.seconds ?? (values.nightly ? NIGHTLY.seconds : 180));
  console.log(`from seed ${seed}`);
  const tally = await onThreads({ seed, lives, seconds, threads: Number(values.threads) });
  show(tally, (performance.now() - began) / 1000);
  const first = tally.broken.toSorted((a, b) => a.seed - b.seed)[0];
  if (first !== undefined) return await replay(first.seed, LAST_STEPS);
  const gaps = tally.lives < ENOUGH_FOR_ALL ? [] : untried(tally);
  for (const gap of gaps) console.log(`never happened: ${gap}`);
  if (tally.lives < lives) console.log(`only ${tally.lives} of ${lives} lives in ${seconds} s`);
  return gaps.length === 0 && tally.lives >= Math.min(lives, ENOUGH_FOR_ALL) ? 0 : 1;
}

/** Different for each commit, and always the same for one commit. */
function seedOfCommit(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.slice(0, 7), 16);
  } catch {
    return 1;
  }
}

async function onThreads(wanted: { seed: number; lives: number; seconds: number; threads: number }): Promise<Tally> {
  const cores = wanted.threads;
  let done = 0;
  const onLives = (lives: number) => {
    if (Math.floor((done + lives) / PROGRESS) > Math.floor(done / PROGRESS))
      console.log(`${done + lives} lives so far`);
    done += lives;
  };
  const runs = Array.from({ length: cores }, async (_, core) => {
    const data = {
      seed: wanted.seed + core,
      step: cores,
      lives: wanted.lives / cores,
      milliseconds: wanted.seconds * 1000,
      enough: 1,
    };
    const thread = new Worker(new URL(import.meta.url), {
      workerData: data,
      // Injected faults are counted, not printed.
      env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'SILENT' },
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    return await new Promise<Tally>((resolve, reject) => {
      thread.on('message', (message: number | Tally) => {
        if (typeof message === 'number') onLives(message);
        else resolve(message);
      });
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('a thread ended without an answer')));
    });
  });
  const tally = newTally();
  for (const part of await Promise.all(runs)) add(tally, part);
  return tally;
}

function show({ worlds, lives, attempts, ends, calls, events, faults, broken }: Tally, seconds: number): void {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  table('faults injected', faults);
  table('what happened to jobs', events);
  table(
    'calls',
    Object.fromEntries(Object.entries(calls).map(([name, count]) => [name.replace(/Command$/, ''), count])),
  );
  table('lives by their end', ends);
  table('in all', {
    worlds,
    lives,
    attempts,
    calls: sum(calls),
    faults: sum(faults),
    violations: broken.length,
    seconds: Math.round(seconds),
    'CPU seconds': Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1e6),
    'lives a second': Math.round(lives / seconds),
  });
  for (const world of broken) console.log(`seed ${world.seed}: ${world.violations.join('; ')}`);
}

function table(title: string, counts: Readonly<Record<string, number>>): void {
  console.log(`\n${title}`);
  for (const [name, count] of Object.entries(counts)) console.log(`  ${name.padEnd(34)}${String(count).padStart(12)}`);
}

/** Runs one world again, with its last steps. */
async function replay(seed: number, steps: number): Promise<number> {
  const trace: string[] = [];
  const { violations } = await new World(seed, (line) => trace.push(line)).run();
  console.log(trace.slice(-Math.min(steps, trace.length)).join('\n'));
  for (const violation of violations) console.log(`seed ${seed}: ${violation}`);
  console.log(`replay with: npm run prove -- simulate --seed ${seed} --replay`);
  return violations.length === 0 ? 0 : 1;
}
