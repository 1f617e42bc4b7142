import type { KeptAttachments } from '../attachments/keep-attachments.ts';

/** The agent never came to run; what had been left by then is kept. Its message and cause are what went wrong. */
export class AgentNotStartedError extends Error {
  override readonly name = 'AgentNotStartedError';
  readonly kept: KeptAttachments;

  constructor(cause: unknown, kept: KeptAttachments) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.kept = kept;
  }
}

/** The attempt was asked to end while it was being prepared; nothing of it is alive. */
export class CancelledBeforeStartError extends Error {
  override readonly name = 'CancelledBeforeStartError';

  constructor() {
    super('it was ended before the agent was started');
  }
}
