import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

/**
 * Prints what the local table costs in homes in which so many jobs have run. Arguments: the checkout whose `npm start`
 * is measured (default: this one). The records of one real job are copied to reach the sizes.
 */
const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const SIZES = [0, 1_500, 11_000, 50_000];
const RECORDS_OF_A_JOB = 3;
const IDLE_MS = 10_000;
const DRAFTS = 20;
const JOBS = 5;
/** What is read of a job. */
const jobSchema = z.object({ id: z.string().default(''), status: z.string().default('') });

console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(0)}, Node ${process.version}`);
console.log('| jobs | records at start | emulator, idle (ms/s) | a draft (ms) | a job (ms) |');
console.log('|---|---|---|---|---|');
for (const size of SIZES) console.log(await measure(size));

async function measure(size: number): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'promptq-bench-'));
  try {
    const first = await start(home);
    await first.job();
    await first.stop();
    const records = copyRecords(join(home, 'dynamodb', 'ddb.sqlite'), size);
    const run = await start(home);
    await run.settled();
    const idle = (await run.cpuOf(async () => await delay(IDLE_MS))) / (IDLE_MS / 1_000);
    const draft = (await run.cpuOf(async () => await times(DRAFTS, run.draft))) / DRAFTS;
    const job = (await run.cpuOf(async () => await times(JOBS, run.job))) / JOBS;
    await run.stop();
    return `| ${size} | ${records} | ${idle.toFixed(1)} | ${draft.toFixed(1)} | ${job.toFixed(1)} |`;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function start(home: string) {
  const settings = [`HOME=${home}`, 'PORT=0', `PROMPTQ_HOME=${home}`];
  const child = spawn('env', [...settings, process.execPath, join(checkout, 'bin', 'local.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  const info = await eventually(async () => JSON.parse(await readFile(join(home, 'local.json'), 'utf8')));
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${info.base_url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${info.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return jobSchema.parse(await response.json());
  };
  const emulator = await emulatorOf(home);
  return {
    draft: async () => {
      await call('POST', '/jobs', { prompt: 'true', profile: 'shell', draft: true });
    },
    job: async () => {
      const { id } = await call('POST', '/jobs', { prompt: 'true', profile: 'shell' });
      await eventually(async () => {
        const { status } = await call('GET', `/jobs/${id}/status?wait=20`);
        if (status !== 'SUCCEEDED') throw new Error(status);
      });
    },
    /** Once its first rounds are over and the number of records stays as it is. */
    settled: async () => {
      for (let before = -1, now = -2; before !== now; ) {
        before = now;
        await delay(5_000);
        now = recordsIn(join(home, 'dynamodb', 'ddb.sqlite'));
      }
    },
    cpuOf: async (work: () => Promise<void>) => {
      const before = await cpuMs(emulator);
      await work();
      return (await cpuMs(emulator)) - before;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function recordsIn(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  return Number(database.prepare('SELECT COUNT(*) AS n FROM _stream_records').get()?.n);
}

/** The copies come before the records that are there, so that they count as counted. @returns how many there are then */
function copyRecords(file: string, jobs: number): number {
  {
    using database = new DatabaseSync(file);
    database
      .prepare(
        `WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ?1),
           sample AS (SELECT * FROM _stream_records ORDER BY id DESC LIMIT 1)
         INSERT INTO _stream_records
           (table_name, event_name, keys_json, new_image, old_image, sequence_number, shard_id, created_at)
         SELECT table_name, event_name, keys_json, new_image, old_image, CAST(-n AS TEXT), shard_id, created_at
         FROM counter, sample WHERE ?1 > 0`,
      )
      .run(jobs * RECORDS_OF_A_JOB);
  }
  return recordsIn(file);
}

/** The process of the emulator that works on a home. */
async function emulatorOf(home: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (command[0]?.endsWith('/dynoxide') && command.includes(join(home, 'dynamodb', 'ddb.sqlite'))) return Number(pid);
  }
  throw new Error('no emulator runs');
}

/** User and system time, of a clock of 100 Hz. */
async function cpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  for (let n = 0; n < count; n++) await work();
}

async function eventually<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await look();
    } catch (error) {
      if (tries > 600) throw error;
      await delay(200);
    }
  }
}
