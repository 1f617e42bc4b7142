import type { JobSummary } from '../queries/jobs-query.ts';

type Reasoned = Pick<JobSummary, 'status' | 'state_reason' | 'exit_code' | 'signal'>;

/** Short labels for the reasons of waiting and failed jobs. */
const SHORT: Readonly<Record<string, string>> = {
  waiting_for_worker: 'Waiting for a worker',
  retry_backoff: 'Waiting to retry',
  worker_lost: 'Worker lost',
  account_required: 'Account not linked',
  usage_limit: 'Usage limit',
  vendor_overloaded: 'Vendor overloaded',
  folder_busy: 'Folder in use',
  profile_busy: 'Profile limit',
  automation_busy: 'Automation busy',
  question: 'Question to answer',
  waiting_for_thread: 'Waiting for its thread',
  thread_stopped: 'Thread stopped',
  agent_error: 'Agent error',
  timed_out: 'Timed out',
  start_failed: 'Could not start',
  session_lost: 'Session lost',
  output_limit: 'Output limit',
};

/** Why a job waits or failed, in two or three words; undefined if its state is enough. */
export function shortReason({ status, state_reason, exit_code, signal }: Reasoned): string | undefined {
  const { code, message } = state_reason;
  if (status !== 'QUEUED' && status !== 'FAILED' && code !== 'question') return undefined;
  if (code === 'exited') return signal === null ? `Exit code ${exit_code ?? 'unknown'}` : `Ended by ${signal}`;
  return SHORT[code] ?? message;
}

/** Details beyond the label, such as the agent's error. */
export function reasonDetail({ status, state_reason: { code, message } }: Reasoned): string | undefined {
  if ((status !== 'QUEUED' && status !== 'FAILED') || code === 'exited') return undefined;
  // The service appends details to the sentence of the reason.
  const end = message.indexOf('. ');
  return end < 0 ? undefined : message.slice(end + 2);
}
