import type { KeptAttachments } from '../attachments/keep-attachments.ts';

/** The agent never ran. The results so far are stored. Message and cause are those of the failure. */
export class AgentNotStartedError extends Error {
  override readonly name = 'AgentNotStartedError';
  readonly kept: KeptAttachments;

  constructor(cause: unknown, kept: KeptAttachments) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.kept = kept;
  }
}

/** The attempt was asked to end during its preparation. None of its processes is alive. */
export class CancelledBeforeStartError extends Error {
  override readonly name = 'CancelledBeforeStartError';

  constructor() {
    super('it was ended before the agent was started');
  }
}

/** System error codes of a machine, or a process, that has no processes, descriptors or memory left. */
const SHORTAGES: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Whether an error, or one of its causes, reports that the worker or its machine could not start a process. */
export function lacksResources(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && SHORTAGES.has(error.code)) || lacksResources(error.cause);
}
