import { endAttempt } from '../jobs/dispatch/end-attempt.ts';
import { type IndexedJob, type JobsByStatus, readySince } from '../jobs/dispatch/jobs-by-status.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import { gateIn, readyKey } from '../jobs/indexes/ready-keys.ts';
import { type Gate, isParked } from '../jobs/lifecycle/gates.ts';
import { bandOf, type Job } from '../jobs/lifecycle/job.ts';
import { leaseIsOver } from '../jobs/lifecycle/lease.ts';
import { NewerSchemaError } from '../jobs/lifecycle/newer-schema.ts';
import { isUnderstood } from '../jobs/lifecycle/understood.ts';
import { lostUsage } from '../jobs/output/agent-sessions/lost-usage.ts';
import type { Receipt } from '../jobs/receipts/receipt.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { type AfterAttemptContext, afterAttempt } from './after-attempt.ts';

/** After this long (ms) a ready job that was not claimed gets a new dispatch message. */
const UNCLAIMED_AFTER_MS = 60_000;

export interface ReconcilerContext extends AfterAttemptContext {
  readonly byStatus: JobsByStatus;
  /** Whether the table has failed recently, so that workers could not renew their leases. Default: it has not. */
  readonly hadOutage?: () => boolean;
}

/**
 * How many waiting jobs one run reads: the oldest, and if there are more, others from a random time on, so that each is
 * read by one of the next runs. Each part ends early after so long.
 */
const WAITING_READ = { oldest: 50_000, others: 25_000, milliseconds: 30_000 } as const;

/** What one reading of the waiting jobs found. */
interface WaitingWork {
  /** A job of each band and project that has been ready for long and was not claimed. */
  readonly stale: ReadonlyMap<string, IndexedJob>;
  /** The gates at which jobs wait. */
  readonly gates: readonly Gate[];
}

/** Reads the waiting jobs once, for all that is done about them. */
export async function readWaiting(context: ReconcilerContext): Promise<WaitingWork> {
  const start = context.clock.now();
  const stale = new Map<string, IndexedJob>();
  const partitions = new Set<string>();
  const note = (job: IndexedJob) => {
    const key = readyKey(bandOf(job), job.project_id);
    if (!isParked(job) && readySince(job) <= start - UNCLAIMED_AFTER_MS && !stale.has(key)) stale.set(key, job);
    if (isParked(job) && job.ready_key !== undefined) partitions.add(job.ready_key);
  };
  /** @returns the job at which it stopped; undefined: all have been read */
  const read = async (most: number, options?: { from: string }) => {
    let count = 0;
    const end = context.clock.now() + WAITING_READ.milliseconds;
    for await (const job of context.byStatus('QUEUED', { ...options, held: true })) {
      note(job);
      count += 1;
      if (count >= most || context.clock.now() > end) return job;
    }
    return undefined;
  };
  const last = await read(WAITING_READ.oldest);
  if (last !== undefined) {
    const at = Date.parse(last.created_at);
    await read(WAITING_READ.others, { from: timestamp(at + context.random() * Math.max(0, start - at)) });
  }
  return { stale, gates: [...partitions].flatMap((key) => gateIn(key) ?? []) };
}

/** Running jobs whose leases one request reads, and lost ones that are ended at once. */
const CHECKED_AT_ONCE = { leases: 100, lost: 20 } as const;

/** Partitions of the index by status that are read side by side. */
const PARTITIONS = 4;

/**
 * Ends or re-queues every running job whose lease has expired, by its receipt if its worker left one.
 * @param options.most how many running jobs are checked, the oldest; default: all
 */
export async function takeOverLostJobs(context: ReconcilerContext, { most }: { most?: number } = {}): Promise<Job[]> {
  const changed: Job[] = [];
  let ids: string[] = [];
  let checked = 0;
  const check = async () => {
    changed.push(...(await endLost(context, await context.jobs.expiredLeases(ids, timestamp(context.clock.now())))));
    ids = [];
  };
  const page = most === undefined ? undefined : { page: Math.ceil(most / PARTITIONS) };
  for await (const { id } of context.byStatus('RUNNING', page)) {
    ids.push(id);
    checked += 1;
    if (ids.length === CHECKED_AT_ONCE.leases) await check();
    if (checked === most) break;
  }
  await check();
  return changed;
}

async function endLost(context: ReconcilerContext, ids: readonly string[]): Promise<Job[]> {
  const changed: Job[] = [];
  for (let at = 0; at < ids.length; at += CHECKED_AT_ONCE.lost) {
    const some = ids.slice(at, at + CHECKED_AT_ONCE.lost);
    const jobs = await Promise.all(
      some.map(async (id) => await skipDamaged(`job ${id}`, () => endIfLost(context, id))),
    );
    changed.push(...jobs.filter((job) => job !== undefined));
  }
  return changed;
}

/** @returns the updated job; undefined if its lease is still valid, or if another writer was faster */
async function endIfLost(context: ReconcilerContext, id: string): Promise<Job | undefined> {
  const job = await context.jobs.find(id);
  if (job === undefined || job === 'newer' || !leaseIsOver(job, timestamp(context.clock.now()))) return undefined;
  if (!isUnderstood(job)) return undefined;
  const receipt = await knownReceipt(context, job);
  if (receipt === 'newer') return undefined;
  const loss = { type: 'lose', forgiven: context.hadOutage?.() === true } as const;
  // A loss is not decided again: the job may have changed to an attempt whose receipt was not read.
  const result =
    receipt === undefined
      ? await transition(context, job, { ...loss, used: await lostUsage(context.agentSessions, job) }, { rounds: 1 })
      : await endAttempt(context, job, receipt);
  return result.done ? await afterAttempt(context, job, result.job, { slow: false }) : undefined;
}

/** The receipt of a job's attempt; `newer`: only a later version can read it. */
async function knownReceipt({ readReceipt }: ReconcilerContext, job: Job): Promise<Receipt | 'newer' | undefined> {
  try {
    return await readReceipt(job.id, job.attempt);
  } catch (error) {
    if (error instanceof NewerSchemaError) return 'newer';
    throw error;
  }
}

/**
 * Sends a message for each band and project with a ready job that has long not been claimed, whatever the queues
 * contain.
 */
export async function resendStaleMessages(context: ReconcilerContext, waiting?: WaitingWork): Promise<void> {
  const { stale } = waiting ?? (await readWaiting(context));
  for (const job of stale.values()) await skipDamaged(`job ${job.id}`, () => context.dispatchQueues.send(job));
}

/**
 * Sends the dispatch messages of all jobs again, for use after the queues were lost. A waiting job's message arrives
 * when it is due, a running job's when its lease expires, so that a worker checks the lease.
 */
export async function reissueAll(context: ReconcilerContext): Promise<void> {
  const now = context.clock.now();
  for await (const job of context.byStatus('QUEUED')) {
    if (isParked(job)) continue;
    const delaySeconds = Math.max(0, (readySince(job) - now) / 1000);
    await skipDamaged(`job ${job.id}`, () => context.dispatchQueues.send(job, { delaySeconds }));
  }
  for await (const { id } of context.byStatus('RUNNING')) {
    await skipDamaged(`job ${id}`, async () => {
      const job = await context.jobs.find(id);
      if (job === undefined || job === 'newer' || job.lease_until === undefined) return;
      await context.dispatchQueues.send(job, { delaySeconds: Math.max(0, (Date.parse(job.lease_until) - now) / 1000) });
    });
  }
}
