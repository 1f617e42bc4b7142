import type { Logger } from '@aws-lambda-powertools/logger';
import type { DispatchQueues, ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import { QUEUE } from '../../lib/platform/aws/tables.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

/** SQS ends a message's flight after 12 hours whatever is asked; an hour before, the permit is given up. */
const LONGEST_FLIGHT = 11 * 3_600_000;

/** Keeps a permit in flight while its job runs, so that the queue's figures and its fairness see the work. */
export class VisibilityExtender {
  readonly #queues: DispatchQueues;
  readonly #received: ReceivedMessage;
  readonly #log: Logger;
  readonly #timing: Timing;
  readonly #until: number;
  #acknowledged = false;

  constructor(dispatchQueues: DispatchQueues, received: ReceivedMessage, log: Logger, timing: Timing = machineTiming) {
    this.#queues = dispatchQueues;
    this.#received = received;
    this.#log = log;
    this.#timing = timing;
    this.#until = timing.now() + LONGEST_FLIGHT;
  }

  async extend(): Promise<void> {
    if (this.#timing.now() > this.#until) return await this.acknowledge();
    await this.#queues
      .extend(this.#received, QUEUE.visibilityTimeout)
      .catch((error: Error) => this.#log.warn('the permit was not kept in flight; the lease alone counts', error));
  }

  /** The permit has served. */
  async acknowledge(): Promise<void> {
    if (this.#acknowledged) return;
    this.#acknowledged = true;
    await this.#queues
      .acknowledge(this.#received)
      .catch((error: Error) => this.#log.warn('a permit was not dropped; it will come back once', error));
  }
}
