import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { withoutOutput } from '../../lib/contract/output-fields.ts';
import { jobSummary } from '../../lib/contract/schemas/jobs/job-list.ts';
import { indexKeys } from '../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { JobLabelStore, labelsKey } from '../../lib/jobs/store/job-labels.ts';
import { Home } from '../../lib/local/run/home.ts';
import { LOCAL_REGION } from '../../lib/local/run/resources.ts';
import { HOSTILE_TEXTS } from '../lib/exports/hostile-texts.ts';
import { aJob } from '../lib/jobs/a-job.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';

interface ExportReport {
  readonly seed: number;
  readonly jobs: number;
  /** Rows that were written when the service was killed. */
  readonly killedAt: readonly number[];
  readonly bytes: number;
  /** Seconds from the request to its end, with the times in which the service was dead or the lease still ran. */
  readonly seconds: number;
  /** MB: of the service before the export, of its processes just after their starts, and at most during the export. */
  readonly memory: Readonly<Record<'before' | 'fresh' | 'most', number>>;
  readonly findings: readonly string[];
}

const SETTINGS = { PROMPTQ_WATCH_SECONDS: '2' } as const;
/** The service is killed when so much of the export is written. */
const KILLS = [0.15, 0.55] as const;
/** For the rows up to a kill, and to the end: a busy machine takes minutes, besides the lease of the killed attempt. */
const WAIT = { timeoutMs: 600_000 } as const;
/** Requests to the tables at once. */
const LANES = 8;
/** Items of one request. */
const BATCH = 25;
const MB = 1024 * 1024;

/**
 * Stores jobs, exports them as a table while the service is killed twice, and compares the files with the list, row by
 * row.
 */
export async function exportUnderKills(options: {
  jobs: number;
  seed: number;
  log?: (line: string) => void;
}): Promise<ExportReport> {
  const { jobs, seed, log = () => undefined } = options;
  const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  let service = await startService({ home, env: SETTINGS });
  try {
    await storeJobs(home, jobs, new SeededRandom(seed));
    log(`${jobs} jobs are stored`);
    await waitFor(async () => (await service.api('GET', '/jobs?limit=1')).json.total >= jobs, WAIT);
    const memory = new Memory();
    await memory.follow(service.pid);
    log(`they are counted; the service has ${Math.round(memory.before / MB)} MB`);
    const began = performance.now();
    const { json: started } = await service.api('POST', '/exports', { kind: 'jobs', format: 'csv' });
    const read = async () => (await service.api('GET', `/exports/${started.id}`)).json;
    const killedAt: number[] = [];
    for (const share of KILLS) {
      const { progress } = await waitFor(async () => {
        const found = await read();
        return found.progress.rows >= share * jobs || found.status === 'done' ? found : undefined;
      }, WAIT);
      await service.kill9();
      killedAt.push(progress.rows);
      log(`killed after ${progress.rows} rows`);
      service = await startService({ home, env: SETTINGS });
      await memory.follow(service.pid);
    }
    const done = await waitFor(async () => {
      const found = await read();
      return found.status === 'done' || found.status === 'failed' ? found : undefined;
    }, WAIT);
    const seconds = Math.round((performance.now() - began) / 1000);
    memory.stop();
    log(`${done.status} after ${seconds} s`);
    const findings =
      done.status === 'done' ? await compared(service, done, { home, jobs }) : [`it failed: ${done.error}`];
    const [before = 0, fresh = 0, most = 0] = [memory.before, memory.fresh, memory.most].map((n) => Math.round(n / MB));
    const report = { seed, jobs, killedAt, bytes: done.progress.bytes, seconds };
    return { ...report, memory: { before, fresh, most }, findings };
  } finally {
    await service.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** What differs between the files of an export and the list. */
async function compared(
  service: OwnService,
  made: Readonly<Record<string, string>>,
  { home, jobs }: { home: string; jobs: number },
): Promise<string[]> {
  const files = { raw: join(home, 'raw.jsonl'), table: join(home, 'table.csv') };
  await download(made.raw_url ?? '', files.raw);
  await download(made.url ?? '', files.table);
  const findings: string[] = [];
  const list = listed(service);
  let rows = 0;
  for await (const line of createInterface({ input: createReadStream(files.raw) })) {
    const { value: item } = await list.next();
    rows += 1;
    const row: unknown = JSON.parse(line);
    if (findings.length < 10 && !isDeepStrictEqual(row, withoutOutput(jobSummary, item)))
      findings.push(`row ${rows} is ${line.slice(0, 300)}, the list has ${JSON.stringify(item)?.slice(0, 300)}`);
  }
  if (rows !== jobs) findings.push(`the file has ${rows} rows`);
  if ((await list.next()).done !== true) findings.push('the list has more rows than the file');
  return [...findings, ...(await readByPython(home, files))];
}

async function download(url: string, file: string): Promise<void> {
  const { body, status } = await fetch(url);
  if (status !== 200 || body === null) throw new Error(`the link answers ${status}`);
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(file));
}

/** All rows of the list, from the oldest on. */
async function* listed(service: OwnService): AsyncGenerator<unknown> {
  let cursor = '';
  do {
    const { json } = await service.api('GET', `/jobs?order=oldest&limit=500${cursor}`);
    yield* json.items;
    cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`;
  } while (cursor !== '');
}

/** Python's csv reads the same values from the table as its json from the raw rows. */
export async function readByPython(folder: string, { raw, table }: { raw: string; table: string }): Promise<string[]> {
  const program = join(folder, 'compare.py');
  await writeFile(program, COMPARE);
  const { status, stdout, stderr } = spawnSync('python3', [program, raw, table], { encoding: 'utf8' });
  return status === 0 ? [] : [`python: ${stdout}${stderr}`];
}

const COMPARE = String.raw`
import csv, json, re, sys
csv.field_size_limit(1 << 30)

def value(row, path):
    for name in path.split('.'):
        row = row.get(name) if isinstance(row, dict) else None
    return row

def cell(text):
    """The text of a cell as it was before it was made harmless."""
    return text[1:] if re.match("'+[\\s\\0-\\x1f\\x7f-\\x9f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]*[=+\\-@＝＋－＠\\t\\r\\n]", text) else text

count = 0
with open(sys.argv[1], newline='\n', encoding='utf-8') as raw, open(sys.argv[2], newline='', encoding='utf-8-sig') as table:
    for row in csv.DictReader(table):
        want = json.loads(raw.readline())
        count += 1
        for name, text in row.items():
            known = value(want, name)
            if known is None: expected = ['']
            elif isinstance(known, bool): expected = ['true' if known else 'false']
            elif isinstance(known, (list, dict)): expected = [text] if json.loads(text) == known else ['another value']
            elif isinstance(known, str): expected = [known.replace('\0', '\u2400')]
            else: expected = [text] if float(text) == known else [str(known)]
            if cell(text) not in expected and text not in expected:
                sys.exit(f'row {count}, {name}: {text!r} instead of {known!r}')
    if raw.readline(): sys.exit(f'the table ends after {count} rows')
print(count)
`;

/** The memory of a service whose process is replaced after a kill, bytes. */
class Memory {
  /** Of the first process, before anything is exported. */
  before = 0;
  /** Of the processes that took its place, before they have done anything. */
  fresh = Number.POSITIVE_INFINITY;
  most = 0;
  #pid = 0;
  #over = false;

  constructor() {
    void this.#sample();
  }

  /** Waits until the memory of a process no longer changes much, and follows it. */
  async follow(pid: number): Promise<void> {
    let known = 0;
    await waitFor(async () => {
      const now = await residentBytes(pid);
      const isSettled = Math.abs(now - known) < 2 * MB;
      known = now;
      await delay(1_000);
      return isSettled;
    });
    if (this.before === 0) this.before = known;
    else this.fresh = Math.min(this.fresh, known);
    this.#pid = pid;
  }

  stop(): void {
    this.#over = true;
  }

  async #sample(): Promise<void> {
    while (!this.#over) {
      const now = this.#pid === 0 ? 0 : await residentBytes(this.#pid).catch(() => 0);
      this.most = Math.max(this.most, now);
      await delay(50);
    }
  }
}

async function residentBytes(pid: number): Promise<number> {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Stores jobs of the last weeks that have ended, many of them with titles that are hostile to spreadsheets. */
async function storeJobs(home: string, count: number, random: SeededRandom): Promise<void> {
  const running = await (await Home.open(home)).readOperatorInfo();
  if (running === undefined) throw new Error('no service runs');
  const { environment, dynamodb: endpoint } = running;
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = environment;
  const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: { accessKeyId, secretAccessKey } });
  const table = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const { JOBS_TABLE = '', REGISTRY_TABLE = '' } = environment;
  const put = async (name: string, items: readonly object[]) => {
    if (items.length === 0) return;
    const requests = items.map((Item) => ({ PutRequest: { Item: { ...Item } } }));
    await table.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
  };
  const from = Date.now() - 40 * 86_400_000;
  const lane = async (first: number) => {
    for (let at = first * BATCH; at < count; at += LANES * BATCH) {
      const made = Array.from({ length: Math.min(BATCH, count - at) }, (_, n) =>
        endedJob(random, from + (at + n) * 20),
      );
      await put(
        JOBS_TABLE,
        made.map(({ job }) => ({ ...job, ...indexKeys(job) })),
      );
      await put(
        REGISTRY_TABLE,
        made.flatMap(({ job, labels }) => (labels === undefined ? [] : [{ ...labelsKey(job), ...labels }])),
      );
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, first) => lane(first)));
}

function endedJob(random: SeededRandom, at: number): { job: Job; labels: { title: string } | undefined } {
  const time = new Date(at).toISOString();
  const isFailed = random.chance(0.1);
  const labels = random.chance(0.5) ? { title: random.pick(HOSTILE_TEXTS) } : undefined;
  const address = labels && JobLabelStore.address(labels);
  const id = `job_${Array.from({ length: 26 }, () => random.pick([...'0123456789abcdefghjkmnpqrstvwxyz'])).join('')}`;
  const job = aJob({
    ...{ id, status: isFailed ? 'FAILED' : 'SUCCEEDED', reason: isFailed ? 'agent_error' : 'exited' },
    ...{ created_at: time, updated_at: time, queued_at: time, started_at: time, finished_at: time, attempt: 1 },
    ...{ project_id: `p${random.integer(1, 5)}`, project: random.pick(HOSTILE_TEXTS).slice(0, 50) || 'p' },
    ...{ prompt_preview: random.pick(HOSTILE_TEXTS), exit_code: isFailed ? 1 : 0 },
    ...(isFailed && { error: 'what an agent wrote' }),
    ...(address !== undefined && { labels: address }),
  });
  return { job, labels };
}
