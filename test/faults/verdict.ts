import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isTerminal, type Status } from '../../lib/contract/statuses.ts';
import { OutputStore } from '../../lib/jobs/output/output-store.ts';
import { recount } from '../../lib/stats/counting/recount-stats.ts';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { findAttemptsOf } from '../local-run/marked-processes.ts';
import { runSettings } from '../local-run/run-settings.ts';
import type { JobRecord, Ledger } from './ledger.ts';

/** The result of a run under faults. Lists name faults; all are empty if there is none. */
export interface Verdict {
  /** Jobs whose creation was answered with 201. */
  readonly acknowledged: number;
  /** Their states in the end. */
  readonly states: Record<string, number>;
  readonly attempts: number;
  /** Acknowledged jobs that don't exist, or have not ended. */
  readonly lost: string[];
  /** Attempts that started after one whose success was on record, without a retry. */
  readonly ranTwice: string[];
  /** Attempts that started after a cancel or kill was answered, without a retry. */
  readonly ranAfterCancel: string[];
  readonly outputNotWhole: string[];
  readonly editsLost: string[];
  readonly countsWrong: string[];
  readonly processesLeft: number[];
  /** Answers that no kill explains. */
  readonly faults: string[];
}

/** Milliseconds without any change after which what waits counts as lost: leases of 30 s and backoffs are over by then. */
const STUCK_AFTER = 75_000;
/** Counts may lag writes by a second. */
const COUNTS_LAG = 1_100;

/** Waits until nothing changes, and compares the stored state with the clients' responses. */
export async function verdict(run: {
  service: ServiceUnderTest;
  ledger: Ledger;
  diary: string;
  log: (line: string) => void;
}): Promise<Verdict> {
  const { service, ledger, diary, log } = run;
  const jobs = [...ledger.jobs.values()];
  const storage = await openStorage(service.home);
  const kept = await untilQuiet(service, async () => await recount(storage.table, storage.jobsTable), log);
  const starts = await startsIn(diary);
  const found = {
    acknowledged: jobs.length,
    states: {} as Record<string, number>,
    attempts: [...starts.values()].reduce((sum, attempts) => sum + attempts.length, 0),
    lost: [] as string[],
    ranTwice: [] as string[],
    ranAfterCancel: [] as string[],
    outputNotWhole: [] as string[],
    editsLost: [] as string[],
    countsWrong: [] as string[],
    processesLeft: findAttemptsOf(service.home),
    faults: ledger.faults,
  };
  for (const record of jobs) {
    const { id } = record;
    const { status, json } = await service.api('GET', `/jobs/${id}`);
    const state = json?.status as Status | undefined;
    if (state !== undefined) found.states[state] = (found.states[state] ?? 0) + 1;
    const isThere = state !== undefined && (isTerminal(state) || (state === 'DRAFT' && record.draft));
    if (!isThere) {
      found.lost.push(`${id} is ${status} ${state} ${JSON.stringify(json?.state_reason)}`);
      continue;
    }
    if (!record.priorities.includes(json.priority))
      found.editsLost.push(`${id} has priority ${json.priority}, not ${record.priorities}`);
    found.outputNotWhole.push(...(await outputFaults(service, record, json)));
    const started = starts.get(id) ?? [];
    const late = started.filter((attempt) => attempt > (record.endedAfter ?? Number.POSITIVE_INFINITY));
    for (const attempt of late) found.ranAfterCancel.push(`${id}/${attempt}`);
    const superseded = await successesBefore(storage.output, id, Math.max(0, ...started));
    if (superseded.length > record.retries)
      found.ranTwice.push(`${id}: attempts ${superseded} succeeded before ${Math.max(...started)} started`);
  }
  const counted = await recount(storage.table, storage.jobsTable);
  for (const [state, count] of Object.entries(counted))
    if (kept[state] !== count) found.countsWrong.push(`${state}: kept ${kept[state]}, counted ${count}`);
  const total = Object.values(counted).reduce((sum, count) => sum + count, 0);
  if (total < jobs.length || total > jobs.length + ledger.unanswered)
    found.countsWrong.push(`${total} jobs are there; ${jobs.length} to ${jobs.length + ledger.unanswered} can be`);
  storage.close();
  return found;
}

/** @returns the counts as kept, once no job waits or runs and they are those of the table, or nothing has moved for long. */
async function untilQuiet(
  service: ServiceUnderTest,
  countAnew: () => Promise<Record<string, number>>,
  log: (line: string) => void,
): Promise<Record<string, number>> {
  for (let before = '', movedAt = performance.now(); ; await delay(COUNTS_LAG)) {
    const { json } = await service.api('GET', '/jobs?limit=1');
    const counts = json.status_counts as Record<string, number>;
    const now = JSON.stringify(counts);
    if (now !== before) {
      log(now);
      movedAt = performance.now();
    } else if (counts.QUEUED === 0 && counts.RUNNING === 0) {
      const counted = await countAnew();
      if (Object.entries(counted).every(([state, count]) => counts[state] === count)) return counts;
    }
    if (performance.now() - movedAt > STUCK_AFTER) return counts;
    before = now;
  }
}

/** Attempts by job that their own commands say have started. */
async function startsIn(diary: string): Promise<Map<string, number[]>> {
  const text = await readFile(diary, 'utf8');
  const starts = new Map<string, number[]>();
  for (const [, id = '', attempt] of text.matchAll(/^start \S*?(job_\w+)\/(\d+)$/gm))
    starts.set(id, [...(starts.get(id) ?? []), Number(attempt)]);
  return starts;
}

async function outputFaults(
  service: ServiceUnderTest,
  record: JobRecord,
  job: { id: string; status: Status; exit_code: number | null; state_reason: { code: string } },
): Promise<string[]> {
  const ranToItsEnd = job.status === 'SUCCEEDED' || (job.status === 'FAILED' && job.state_reason.code === 'exited');
  if (!ranToItsEnd) return [];
  const { json } = await service.api('GET', `/jobs/${record.id}/result`);
  const faults = [];
  if (json.stdout !== record.stdout) faults.push(`${record.id}: ${json.stdout?.length} of ${record.stdout.length}`);
  if (job.exit_code !== record.exitCode) faults.push(`${record.id}: exit code ${job.exit_code}`);
  return faults;
}

/** Attempts before `last` whose receipt says that they succeeded. */
async function successesBefore(output: OutputStore, id: string, last: number): Promise<number[]> {
  const attempts = Array.from({ length: Math.max(0, last - 1) }, (_, n) => n + 1);
  const receipts = await Promise.all(attempts.map((attempt) => output.readReceipt(id, attempt)));
  return attempts.filter((_, n) => receipts[n]?.outcome.kind === 'succeeded');
}

/** The emulators of the run on a home. */
async function openStorage(home: string) {
  const { environment } = JSON.parse(await readFile(join(home, 'operator.json'), 'utf8')) as {
    environment: Record<
      'AWS_REGION' | 'AWS_ENDPOINT_URL_DYNAMODB' | 'AWS_ENDPOINT_URL_S3' | 'OUTPUT_BUCKET',
      string
    > & {
      JOBS_TABLE: string;
    };
  };
  const settings = runSettings(environment);
  const client = new DynamoDBClient({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB });
  const objects = new S3Client({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_S3, forcePathStyle: true });
  return {
    table: DynamoDBDocumentClient.from(client),
    jobsTable: environment.JOBS_TABLE,
    output: new OutputStore(objects, environment.OUTPUT_BUCKET),
    close: () => {
      client.destroy();
      objects.destroy();
    },
  };
}
