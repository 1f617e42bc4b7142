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
