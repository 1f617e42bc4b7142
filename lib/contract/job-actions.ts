import type { Status } from './statuses.ts';

/**
 * The states in which an action has an effect, for user interfaces. The lifecycle decides what is permitted; a test
 * compares this table with it.
 */
export const JOB_ACTIONS = {
  submit: ['DRAFT'],
  edit: ['QUEUED'],
  cancel: ['DRAFT', 'QUEUED', 'RUNNING'],
  kill: ['RUNNING'],
  retry: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
} as const satisfies Record<string, readonly Status[]>;
export type JobAction = keyof typeof JOB_ACTIONS;

/** Where a retry begins: with the prompt, or where the agent stopped. */
export const RETRY_FROM = ['start', 'session'] as const;
export type RetryFrom = (typeof RETRY_FROM)[number];

/** Whether a retry may continue the job's session: an agent has run and did not succeed. */
export function canRetrySession({
  status,
  agent,
  attempt,
}: {
  readonly status: Status;
  readonly agent: string | null;
  readonly attempt: number;
}): boolean {
  return (status === 'FAILED' || status === 'CANCELLED') && agent !== 'shell' && attempt > 0;
}

/** Whether an action has an effect on a job in this state. */
export function hasEffect(action: JobAction, status: Status): boolean {
  return (JOB_ACTIONS[action] as readonly Status[]).includes(status);
}

/** Whether a job can be updated: by `PATCH /jobs/{id}` while QUEUED, by `PATCH /jobs/{id}/draft` while DRAFT. */
export function isEditable(status: Status): boolean {
  return status === 'DRAFT' || hasEffect('edit', status);
}
