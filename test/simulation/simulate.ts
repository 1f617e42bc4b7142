import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { add, newTally, runWorlds, type Tally } from './run-worlds.ts';
import { World } from './world.ts';

/** `npm run simulate -- [--lives N] [--seconds N] [--seed N] [--threads N] [--replay]`: many worlds on all cores, or one once more. */

/** Steps of a broken world that are shown. */
const LAST_STEPS = 120;

if (isMainThread) process.exitCode = await main();
else parentPort?.postMessage(await runWorlds(workerData));

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      lives: { type: 'string', default: '50000' },
      seconds: { type: 'string', default: '180' },
      seed: { type: 'string', default: '1' },
      threads: { type: 'string', default: String(availableParallelism()) },
      replay: { type: 'boolean', default: false },
    },
  });
  const seed = Number(values.seed);
  if (values.replay) return await replay(seed, Number.POSITIVE_INFINITY);
  const began = performance.now();
  const tally = await onThreads({
    seed,
    lives: Number(values.lives),
    seconds: Number(values.seconds),
    threads: Number(values.threads),
  });
  const { broken, ...sums } = tally;
  const seconds = Math.round(performance.now() - began) / 1000;
  console.log(JSON.stringify({ ...sums, violations: broken.length, seconds }, null, 2));
  const first = broken.toSorted((a, b) => a.seed - b.seed)[0];
  for (const world of broken) console.log(`seed ${world.seed}: ${world.violations.join('; ')}`);
  return first === undefined ? 0 : await replay(first.seed, LAST_STEPS);
}

async function onThreads(wanted: { seed: number; lives: number; seconds: number; threads: number }): Promise<Tally> {
  const cores = wanted.threads;
  const runs = Array.from({ length: cores }, async (_, core) => {
    const data = {
      seed: wanted.seed + core,
      step: cores,
      lives: wanted.lives / cores,
      milliseconds: wanted.seconds * 1000,
      enough: 1,
    };
    const thread = new Worker(new URL(import.meta.url), { workerData: data });
    return await new Promise<Tally>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('a thread ended without an answer')));
    });
  });
  const tally = newTally();
  for (const part of await Promise.all(runs)) add(tally, part);
  return tally;
}

/** Runs one world again, with its last steps. */
async function replay(seed: number, steps: number): Promise<number> {
  const trace: string[] = [];
  const { violations } = await new World(seed, (line) => trace.push(line)).run();
  console.log(trace.slice(-Math.min(steps, trace.length)).join('\n'));
  for (const violation of violations) console.log(`seed ${seed}: ${violation}`);
  console.log(`replay with: npm run simulate -- --seed ${seed} --replay`);
  return violations.length === 0 ? 0 : 1;
}
