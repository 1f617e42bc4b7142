import { LIMITS } from '../contract/limits.ts';
import { isTerminal, type JobView } from '../contract/schemas/job.ts';
import { asOfAttempt } from './attempt-view.ts';
import type { Job } from './job.ts';
import { viewReason } from './job-view.ts';
import { NewerSchemaError } from './newer-schema.ts';
import type { OutputStore } from './output-store.ts';
import { readableReceipt } from './readable-receipt.ts';

type AttemptView = NonNullable<JobView['attempts']>[number];

/** How the newest attempts of a job went, the newest first. The table keeps the newest one; the others have receipts. */
export async function attemptsOf(output: Pick<OutputStore, 'readReceipt'>, job: Job): Promise<AttemptView[]> {
  const attempts: AttemptView[] = [];
  const oldest = Math.max(1, job.attempt - LIMITS.attemptsPerJob + 1);
  // One after the other: a receipt can hold megabytes of prompt.
  for (let attempt = job.attempt; attempt >= oldest; attempt -= 1) {
    const asOf = endedWithJob(job, attempt) ? job : await readAttempt(output, job, attempt);
    attempts.push(asOf === undefined ? { ...UNKNOWN, attempt } : viewAttempt(asOf));
  }
  return attempts;
}

/** Whether the job's state is that of the attempt. A job whose attempt ended before it did has no worker any more. */
function endedWithJob(job: Job, attempt: number): boolean {
  return (
    attempt === job.attempt && (job.status === 'RUNNING' || (isTerminal(job.status) && job.worker_id !== undefined))
  );
}

/** @returns undefined if the record of the attempt cannot be read */
async function readAttempt(
  output: Pick<OutputStore, 'readReceipt'>,
  job: Job,
  attempt: number,
): Promise<Job | undefined> {
  try {
    const { receipt, state } = await readableReceipt(output, job.id, attempt);
    return state === 'corrupt' ? undefined : asOfAttempt(job, attempt, receipt);
  } catch (error) {
    if (error instanceof NewerSchemaError) return undefined;
    throw error;
  }
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
  };
}

const UNKNOWN = {
  status: null,
  state_reason: null,
  started_at: null,
  finished_at: null,
  exit_code: null,
  signal: null,
} as const;
