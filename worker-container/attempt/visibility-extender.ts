import type { Logger } from '@aws-lambda-powertools/logger';
import type { HeldPermit, PermitQueues } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import { QUEUE } from '../../lib/platform/aws/tables.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

/** SQS ends a message's flight after 12 hours whatever is asked; an hour before, the permit is given up. */
const LONGEST_FLIGHT = 11 * 3_600_000;

/** Keeps a permit in flight while its job runs, so that the queue's figures and its fairness see the work. */
export class PermitKeeper {
  readonly #permits: PermitQueues;
  readonly #held: HeldPermit;
  readonly #log: Logger;
  readonly #timing: Timing;
  readonly #until: number;
  #dropped = false;

  constructor(permits: PermitQueues, held: HeldPermit, log: Logger, timing: Timing = machineTiming) {
    this.#permits = permits;
    this.#held = held;
    this.#log = log;
    this.#timing = timing;
    this.#until = timing.now() + LONGEST_FLIGHT;
  }

  async keep(): Promise<void> {
    if (this.#timing.now() > this.#until) return await this.drop();
    await this.#permits
      .extend(this.#held, QUEUE.visibilityTimeout)
      .catch((error: Error) => this.#log.warn('the permit was not kept in flight; the lease alone counts', error));
  }

  /** The permit has served. */
  async drop(): Promise<void> {
    if (this.#dropped) return;
    this.#dropped = true;
    await this.#permits
      .drop(this.#held)
      .catch((error: Error) => this.#log.warn('a permit was not dropped; it will come back once', error));
  }
}
