/** Why an attempt is ended by its worker instead of by itself. */
export type EndingReason =
  /** The job was asked to be cancelled, or killed. */
  | 'cancelled'
  | 'killed'
  /** A clock ran out: nothing was ever written, nothing was written for long, the job's timeout. */
  | 'no_start'
  | 'silent'
  | 'timed_out'
  /** The agent gave its final result but does not exit. */
  | 'finished_not_exited'
  | 'output_limit'
  /** Its output can't be kept any more (a full disk, say). */
  | 'output_failed'
  /** The worker is stopping and gives the job back. */
  | 'stopping'
  /** The fence is void, or may be. */
  | 'lost';

/** The one decision that an attempt is to end: the first reason counts, and a kill can still hurry it. */
export class Ending {
  #reason: EndingReason | undefined;
  readonly #requested = Promise.withResolvers<EndingReason>();
  readonly #escalated = Promise.withResolvers<void>();

  /** When an end was asked for, with the reason. */
  get requested(): Promise<EndingReason> {
    return this.#requested.promise;
  }

  /** When it is to be done without asking the agent first. */
  get escalated(): Promise<void> {
    return this.#escalated.promise;
  }

  get reason(): EndingReason | undefined {
    return this.#reason;
  }

  request(reason: EndingReason): void {
    if (reason === 'killed') this.#escalated.resolve();
    if (this.#reason === 'cancelled' && reason === 'killed') this.#reason = reason;
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#requested.resolve(reason);
  }
}
