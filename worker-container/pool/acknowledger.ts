import type { Logger } from '@aws-lambda-powertools/logger';
import { type DispatchQueues, MAX_BATCH, type ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Band } from '../../lib/platform/aws/tables.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

/** Milliseconds that a handled message waits for others, to be deleted together. */
const GATHER_MS = 200;

export interface AcknowledgerOptions {
  readonly dispatchQueues: Pick<DispatchQueues, 'acknowledgeAll'>;
  readonly log: Logger;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/** Deletes handled dispatch messages, several in one request. One that could not be deleted returns and finds no job. */
export class Acknowledger {
  readonly #options: AcknowledgerOptions;
  readonly #pending = new Map<Band, ReceivedMessage[]>();
  readonly #deleting = new Set<Promise<void>>();

  constructor(options: AcknowledgerOptions) {
    this.#options = options;
  }

  /** Deletes the message soon. */
  async acknowledge(received: ReceivedMessage): Promise<void> {
    const { band } = received.message;
    const pending = this.#pending.get(band) ?? [];
    pending.push(received);
    if (pending.length >= MAX_BATCH) this.#delete(band);
    else if (pending.length === 1) {
      this.#pending.set(band, pending);
      (this.#options.timing ?? machineTiming).schedule(() => this.#delete(band), GATHER_MS);
    }
  }

  /** Deletes what is left. Never rejects. */
  async flush(): Promise<void> {
    for (const band of this.#pending.keys()) this.#delete(band);
    await Promise.all(this.#deleting);
  }

  #delete(band: Band): void {
    const pending = this.#pending.get(band) ?? [];
    this.#pending.delete(band);
    const { dispatchQueues, log } = this.#options;
    const deleting = dispatchQueues
      .acknowledgeAll(band, pending)
      .catch((error: Error) => log.warn('dispatch messages not acknowledged; they will return once', error))
      .finally(() => this.#deleting.delete(deleting));
    this.#deleting.add(deleting);
  }
}
