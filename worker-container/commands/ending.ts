/** Why the worker ends an attempt. */
export type EndingReason =
  /** A client cancelled or killed the job. */
  | 'cancelled'
  | 'killed'
  /** A clock expired: no output at all, no output for too long, or the job's timeout. */
  | 'no_start'
  | 'silent'
  | 'timed_out'
  /** The agent gave its final result but does not exit. */
  | 'finished_not_exited'
  /** The agent has asked a question that has no answer yet. */
  | 'asked'
  | 'output_limit'
  /** Its output can no longer be stored (the disk is full, for example). */
  | 'output_failed'
  /** The worker is stopping and releases the job. */
  | 'stopping'
  /** The fence is void, or may be. */
  | 'lost';

/** The decision to end an attempt. The first reason counts; a kill can still escalate it. */
export class Ending {
  #reason: EndingReason | undefined;
  readonly #requested = Promise.withResolvers<EndingReason>();
  readonly #escalated = Promise.withResolvers<void>();
  readonly #releasing = new AbortController();

  /** Resolves with the reason when an end is requested. */
  get requested(): Promise<EndingReason> {
    return this.#requested.promise;
  }

  /** Resolves when the attempt is to be killed without asking the agent first. */
  get escalated(): Promise<void> {
    return this.#escalated.promise;
  }

  /** Aborts when the worker has to release the job, for whatever reason the attempt ends, and even if it has ended. */
  get releasing(): AbortSignal {
    return this.#releasing.signal;
  }

  get reason(): EndingReason | undefined {
    return this.#reason;
  }

  request(reason: EndingReason): void {
    if (reason === 'killed') this.#escalated.resolve();
    if (reason === 'stopping' || reason === 'lost') this.#releasing.abort();
    if (this.#reason === 'cancelled' && reason === 'killed') this.#reason = reason;
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#requested.resolve(reason);
  }
}

/** Whether the worker has to release the job, for whatever reason its attempt ends. */
export function isReleasingJob({ releasing }: Pick<Ending, 'releasing'>): boolean {
  return releasing.aborted;
}
