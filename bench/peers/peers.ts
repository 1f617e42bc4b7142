import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRun } from '../short/measured-run.ts';
import { atOnce, CLIENTS, drain, notedTime, noteTime, quantile, single } from '../short/short-jobs.ts';
import { installPeers, versionOf } from './packages.ts';
import { bullMq, graphileWorker, type PeerQueue, pgBoss } from './queues.ts';
import { type PeerServer, startPostgres, startRedis } from './servers.ts';

/**
 * `npm run bench -- peers [--redis URL] [--postgres URL] [--jobs N]`: creation, start and drain of jobs that run
 * `bash -c true`, here and by BullMQ, pg-boss and graphile-worker, in one run. Starts the servers itself, unless URLs
 * are given; there it creates queues named promptq-bench-….
 */
const { values } = parseArgs({
  options: { redis: { type: 'string' }, postgres: { type: 'string' }, jobs: { type: 'string', default: '300' } },
});
const JOBS = Number(values.jobs);
const SLOTS = 16;
const SINGLES = 40;

/** The figures of one queue; times in ms. */
interface Row {
  readonly name: string;
  readonly created?: number;
  readonly starts?: readonly number[];
  readonly rate: number;
}

const files = await mkdtemp(join(tmpdir(), 'promptq-bench-'));
const load = loadavg()[0]?.toFixed(1);
try {
  console.log('Fetching the packages of the peers (into node_modules/.cache/promptq/peers)…');
  await installPeers();
  const rows: Row[] = [await spawning(), await ours()];
  await withServer(values.redis, startRedis, 'redis-server', async (url) => {
    rows.push(await measure(versionOf('bullmq'), (name) => bullMq(url, name)));
  });
  await withServer(values.postgres, startPostgres, 'initdb of PostgreSQL', async (url) => {
    rows.push(await measure(versionOf('pg-boss'), (name) => pgBoss(url, name)));
    rows.push(await measure(versionOf('graphile-worker'), (name) => graphileWorker(url, name)));
  });
  print(rows);
} finally {
  await rm(files, { recursive: true, force: true });
}
process.exit();

/** Measures with the given server, else with one that is started for this. */
async function withServer(
  given: string | undefined,
  start: () => Promise<PeerServer | undefined>,
  what: string,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = given === undefined ? await start() : { url: given, stop: async () => undefined };
  if (server === undefined) return console.log(`not measured: there is no ${what} in PATH (or give a URL)`);
  try {
    await use(server.url);
  } finally {
    await server.stop();
  }
}

async function bash(command: string): Promise<void> {
  await once(spawn('bash', ['-c', command], { stdio: 'ignore' }), 'exit');
}

/** What no queue can exceed. */
async function spawning(): Promise<Row> {
  await atOnce(SLOTS, JOBS, () => bash('true'));
  const began = performance.now();
  await atOnce(SLOTS, JOBS, () => bash('true'));
  return { name: 'spawning `bash -c true`', rate: JOBS / ((performance.now() - began) / 1000) };
}

async function ours(): Promise<Row> {
  const run = await startRun(join(import.meta.dirname, '../..'), SLOTS);
  try {
    await atOnce(SLOTS, SINGLES, (n) => single(run, n).then(() => undefined));
    const starts: number[] = [];
    for (let n = 0; n < SINGLES; n += 1) {
      const { posted, started } = await single(run, n);
      starts.push(started - posted);
    }
    const { created, rate } = await drain(run, SLOTS, JOBS);
    return { name: 'Promptq, local run', created, starts, rate };
  } finally {
    await run.stop();
  }
}

async function measure(name: string, open: (queue: string) => Promise<PeerQueue>): Promise<Row> {
  console.log(`Measuring ${name}…`);
  const mark = `promptq-bench-${process.pid}-${Date.now()}`;
  const starts = await startsOf(await open(`${mark}-single`));
  return { name, starts, ...(await drainOf(await open(`${mark}-drain`))) };
}

/** From the creation of a job to its first command, in an idle worker. */
async function startsOf(queue: PeerQueue): Promise<number[]> {
  try {
    let ended = Promise.withResolvers<void>();
    await queue.work(SLOTS, async (command) => {
      await bash(command);
      ended.resolve();
    });
    const times: number[] = [];
    for (let n = -5; n < SINGLES; n += 1) {
      ended = Promise.withResolvers();
      const file = join(files, 'time');
      const posted = Date.now();
      await queue.add(noteTime(file));
      await ended.promise;
      const started = await notedTime(file);
      if (n >= 0) times.push(started - posted);
    }
    return times;
  } finally {
    await queue.close();
  }
}

async function drainOf(queue: PeerQueue): Promise<Pick<Row, 'created' | 'rate'>> {
  try {
    const creating = performance.now();
    await atOnce(CLIENTS, JOBS, () => queue.add('true'));
    const created = JOBS / ((performance.now() - creating) / 1000);
    let left = JOBS;
    const ended = Promise.withResolvers<void>();
    const began = performance.now();
    await queue.work(SLOTS, async (command) => {
      await bash(command);
      left -= 1;
      if (left === 0) ended.resolve();
    });
    await ended.promise;
    return { created, rate: JOBS / ((performance.now() - began) / 1000) };
  } finally {
    await queue.close();
  }
}

function print(rows: readonly Row[]): void {
  const floor = rows[0]?.rate ?? Number.NaN;
  const date = new Date().toISOString().slice(0, 10);
  console.log(
    `\n${date}; ${availableParallelism()} cores, load ${load} before and ${loadavg()[0]?.toFixed(1)} after, ` +
      `Node ${process.version}; ${JOBS} jobs created by ${CLIENTS} clients at once and drained by ${SLOTS} slots, ` +
      `${SINGLES} single jobs of an idle worker\n`,
  );
  console.log(
    '| | created/s | POST → first command, p50 (ms) | p99 | drain (jobs/s) | of spawning |\n|---|---|---|---|---|---|',
  );
  for (const { name, created, starts, rate } of rows) {
    const times = starts === undefined ? ['–', '–'] : [0.5, 0.99].map((share) => quantile(starts, share).toFixed(1));
    const share = `${((100 * rate) / floor).toFixed(1)} %`;
    console.log(`| ${[name, created?.toFixed(0) ?? '–', ...times, rate.toFixed(1), share].join(' | ')} |`);
  }
}
