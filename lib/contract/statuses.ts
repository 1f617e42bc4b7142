/** RUNNING is the state between QUEUED and a terminal state. */
export const STATUSES = ['DRAFT', 'QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type Status = (typeof STATUSES)[number];

/** States that only `retry` changes. */
const TERMINAL_STATUSES = ['SUCCEEDED', 'FAILED', 'CANCELLED'] as const satisfies readonly Status[];

/** Whether a job in this state has ended. */
export function isTerminal(status: string): boolean {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}

/** Reasons to wait that only a person ends. */
export const NEEDS_PERSON: ReadonlySet<string> = new Set(['account_required', 'draft', 'question', 'thread_stopped']);
