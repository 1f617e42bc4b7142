import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import type { RouteRequests } from '../requests/route-requests.ts';
import { BASELINE_FILE, type Baseline, lossesOf, readBaseline } from './baseline.ts';
import { bundleBytes } from './bundle-bytes.ts';
import { jobCpu } from './job-cpu.ts';

/**
 * `npm run bench -- quick [--update PART]… [--cpu]`: compares this tree with bench/quick/baseline.json: AWS requests of
 * routes and of a short job and how often a route waits for them (exactly), and sizes of bundles. Fails on a loss that a
 * second measurement repeats. What can't be started is not measured. `--update` stores a part (requests, rounds, bytes)
 * as it is now. `--cpu` also prints the worker's CPU time for a job that does nothing, which is compared with nothing:
 * the same commit took 2.9 to 6.6 units on different machines and at different hours.
 */
const { values } = parseArgs({
  options: { update: { type: 'string', multiple: true, default: [] }, cpu: { type: 'boolean', default: false } },
});

const run = promisify(execFile);

const MEASURES: { readonly [P in keyof Baseline]: () => Promise<Baseline[P]> } = {
  requests: async () => (await countRoutes()).requests,
  rounds: async () => (await countRoutes()).rounds,
  bytes: bundleBytes,
};
const PARTS = Object.keys(MEASURES) as (keyof Baseline)[];
const unknown = values.update.filter((part) => !PARTS.some((known) => known === part));
if (unknown.length > 0) throw new Error(`--update: there is no ${unknown.join(', ')}; expected ${PARTS.join(', ')}`);

/** Milliseconds that one measurement may take. */
const MEASURE_LIMIT_MS = 180_000;

const baseline = readBaseline();
for (const part of PARTS) {
  const measured = await measure(part);
  if (measured === undefined) continue;
  console.log(`${part}: ${JSON.stringify(measured)}`);
  if (values.update.includes(part)) store(part, measured);
  else await compare(part, measured);
}
if (values.cpu) console.log(`cpu: ${JSON.stringify(await jobCpu())}`);
// The emulators' connections would keep this process alive.
process.exit();

/** In a separate process, so that it can be measured again. */
async function countRoutes(): Promise<RouteRequests> {
  const program = fileURLToPath(new URL('../requests/route-requests.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [program]);
  return JSON.parse(stdout) as RouteRequests;
}

async function compare<P extends keyof Baseline>(part: P, measured: Baseline[P]): Promise<void> {
  const losses = lossesOf(part, baseline[part], measured);
  if (losses.length === 0) return;
  console.log(`${part}: measured again because of ${losses.join('; ')}`);
  const again = await measure(part);
  const repeated = again === undefined ? [] : lossesOf(part, baseline[part], again);
  if (repeated.length === 0) return;
  console.error(`${part}: LOSS: ${repeated.join('; ')}. If it is meant: npm run bench -- quick --update ${part}`);
  process.exitCode = 1;
}

/** undefined: it can't be measured here and now */
async function measure<P extends keyof Baseline>(part: P): Promise<Baseline[P] | undefined> {
  try {
    const late = delay(MEASURE_LIMIT_MS, undefined, { ref: false }).then(() => {
      throw new Error(`it took longer than ${MEASURE_LIMIT_MS / 1_000} s`);
    });
    return await Promise.race([MEASURES[part](), late]);
  } catch (error) {
    console.log(`${part}: not measured: ${String(error)}`);
    return undefined;
  }
}

function store<P extends keyof Baseline>(part: P, measured: Baseline[P]): void {
  const stored = JSON.parse(readFileSync(BASELINE_FILE, 'utf8')) as object;
  writeFileSync(BASELINE_FILE, `${JSON.stringify({ ...stored, [part]: measured }, null, 2)}\n`);
}
