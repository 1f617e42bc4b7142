import { LIMITS } from '../../contract/limits.ts';
import type { JobView } from '../../contract/schemas/jobs/job.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { isOutputDeleted } from '../lifecycle/deleted-output.ts';
import type { Job } from '../lifecycle/job.ts';
import { NewerSchemaError } from '../lifecycle/newer-schema.ts';
import type { OutputStore } from '../output/output-store.ts';
import { readableReceipt } from '../output/readable-receipt.ts';
import { withoutOutput } from '../receipts/without-output.ts';
import { asOfAttempt } from './attempt-view.ts';
import { viewReason } from './job-view.ts';

type AttemptView = NonNullable<JobView['attempts']>[number];

/** Ended attempts by `JOB#ATTEMPT`, cached because their receipts never change and clients poll running jobs. */
const ended = new Map<string, AttemptView>();
const MAX_REMEMBERED = 1_000;

/** The newest attempts of a job, newest first. The table has the newest one; the others have receipts. */
export async function attemptsOf(output: Pick<OutputStore, 'readReceipt'>, job: Job): Promise<AttemptView[]> {
  const attempts: AttemptView[] = [];
  const oldest = Math.max(1, job.attempt - LIMITS.attemptsPerJob + 1);
  // One after the other: a receipt can hold a prompt of several megabytes.
  for (let attempt = job.attempt; attempt >= oldest; attempt -= 1) {
    attempts.push(endedWithJob(job, attempt) ? viewAttempt(job) : await viewEnded(output, job, attempt));
  }
  return attempts;
}

/** Whether the job's state is the attempt's. A job that ended after its last attempt no longer has a worker. */
function endedWithJob(job: Job, attempt: number): boolean {
  return (
    attempt === job.attempt && (job.status === 'RUNNING' || (isTerminal(job.status) && job.worker_id !== undefined))
  );
}

async function viewEnded(output: Pick<OutputStore, 'readReceipt'>, job: Job, attempt: number): Promise<AttemptView> {
  const isDeleted = isOutputDeleted(job, attempt);
  const key = `${job.id}#${attempt}`;
  const remembered = isDeleted ? undefined : ended.get(key);
  if (remembered !== undefined) return remembered;
  try {
    const { receipt, state } = await readableReceipt(output, job.id, attempt);
    if (state === 'corrupt') return { ...UNKNOWN, attempt };
    const shown = isDeleted ? receipt && withoutOutput(receipt) : receipt;
    const view = viewAttempt(asOfAttempt(job, attempt, shown));
    // Without a receipt the worker counts as lost, but its receipt may still arrive.
    if (receipt !== undefined && !isDeleted) remember(key, view);
    return view;
  } catch (error) {
    if (error instanceof NewerSchemaError) return { ...UNKNOWN, attempt };
    throw error;
  }
}

function remember(key: string, view: AttemptView): void {
  const [oldest] = ended.keys();
  if (ended.size >= MAX_REMEMBERED && oldest !== undefined) ended.delete(oldest);
  ended.set(key, view);
}

function viewAttempt(job: Job): AttemptView {
  return {
    attempt: job.attempt,
    status: job.status,
    state_reason: viewReason(job),
    started_at: job.started_at ?? null,
    finished_at: job.finished_at ?? null,
    exit_code: job.exit_code ?? null,
    signal: job.signal ?? null,
    resumed_from: job.resumed_from ?? null,
  };
}

const UNKNOWN = {
  status: null,
  state_reason: null,
  started_at: null,
  finished_at: null,
  exit_code: null,
  signal: null,
  resumed_from: null,
} as const;
