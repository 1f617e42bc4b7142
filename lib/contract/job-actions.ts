import type { Status } from './statuses.ts';

/**
 * In which states an action has an effect, for those who offer it to people. What is permitted is decided by the
 * lifecycle; a test holds this table against it.
 */
export const JOB_ACTIONS = {
  submit: ['DRAFT'],
  edit: ['QUEUED'],
  cancel: ['DRAFT', 'QUEUED', 'RUNNING'],
  kill: ['RUNNING'],
  retry: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
} as const satisfies Record<string, readonly Status[]>;
export type JobAction = keyof typeof JOB_ACTIONS;

/** Whether an action has an effect on a job in this state. */
export function hasEffect(action: JobAction, status: Status): boolean {
  return (JOB_ACTIONS[action] as readonly Status[]).includes(status);
}

/** Whether a job's settings can be changed: a queued job's by `PATCH /jobs/{id}`, a draft's by `PATCH /jobs/{id}/draft`. */
export function isEditable(status: Status): boolean {
  return status === 'DRAFT' || hasEffect('edit', status);
}
