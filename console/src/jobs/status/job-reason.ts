import type { JobSummary } from '../queries/jobs-query.ts';

type Reasoned = Pick<JobSummary, 'status' | 'state_reason' | 'exit_code' | 'signal'>;

/** Short words for the reasons of jobs that wait or have failed. */
const SHORT: Readonly<Record<string, string>> = {
  waiting_for_worker: 'Waiting for a worker',
  retry_backoff: 'Waiting to retry',
  worker_lost: 'Worker lost',
  account_required: 'Account not linked',
  usage_limit: 'Usage limit',
  folder_busy: 'Folder in use',
  profile_busy: 'Profile limit',
  agent_error: 'Agent error',
  timed_out: 'Timed out',
  start_failed: 'Could not start',
  output_limit: 'Output limit',
};

/** Why a job waits or has failed, in two or three words; undefined: its state says all. */
export function shortReason({ status, state_reason, exit_code, signal }: Reasoned): string | undefined {
  if (status !== 'QUEUED' && status !== 'FAILED') return undefined;
  const { code, message } = state_reason;
  if (code === 'exited') return signal === null ? `Exit code ${exit_code ?? 'unknown'}` : `Ended by ${signal}`;
  return SHORT[code] ?? message;
}

/** What is known beyond the short words, such as the error of the agent. */
export function reasonDetail({ status, state_reason: { code, message } }: Reasoned): string | undefined {
  if ((status !== 'QUEUED' && status !== 'FAILED') || code === 'exited') return undefined;
  // The service appends what it knows to the sentence of the reason.
  const end = message.indexOf('. ');
  return end < 0 ? undefined : message.slice(end + 2);
}
