import type { Logger } from '@aws-lambda-powertools/logger';
import type { DispatchQueues, ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import { QUEUE } from '../../lib/platform/aws/tables.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

/** SQS limits a message's time in flight to 12 hours. An hour before that, the message is acknowledged. */
const MAX_FLIGHT_MS = 11 * 3_600_000;

/** What is done to a received message. */
type MessageQueues = Pick<DispatchQueues, 'extend' | 'acknowledge'>;

/** Keeps a dispatch message in flight while its job runs, so that queue metrics and fairness count the work. */
export class VisibilityExtender {
  readonly #queues: MessageQueues;
  readonly #received: ReceivedMessage;
  readonly #log: Logger;
  readonly #timing: Timing;
  readonly #until: number;
  #acknowledged = false;

  constructor(dispatchQueues: MessageQueues, received: ReceivedMessage, log: Logger, timing: Timing = machineTiming) {
    this.#queues = dispatchQueues;
    this.#received = received;
    this.#log = log;
    this.#timing = timing;
    this.#until = timing.now() + MAX_FLIGHT_MS;
  }

  async extend(): Promise<void> {
    if (this.#timing.now() > this.#until) return await this.acknowledge();
    await this.#queues
      .extend(this.#received, QUEUE.visibilityTimeout)
      .catch((error: Error) => this.#log.warn('dispatch message not in flight; the lease still applies', error));
  }

  /** Acknowledges the message; later calls do nothing. */
  async acknowledge(): Promise<void> {
    if (this.#acknowledged) return;
    this.#acknowledged = true;
    await this.#queues
      .acknowledge(this.#received)
      .catch((error: Error) => this.#log.warn('dispatch message not acknowledged; it will return once', error));
  }
}
