import type { Logger } from '@aws-lambda-powertools/logger';
import { type LiveWorkers, REGISTER_EVERY, type WorkerInfo } from '../lib/jobs/workers.ts';

export type Leaving = NonNullable<WorkerInfo['leaving']>;

interface RegistrationOptions {
  readonly workers: Pick<LiveWorkers, 'register' | 'deregister'>;
  /** What is to be told of this worker, as of now. */
  readonly describe: () => Promise<Parameters<LiveWorkers['register']>[0]>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Tells the registry that this worker lives, what it does, and whether it is about to leave; one telling at a time. */
export class Registration {
  readonly #options: RegistrationOptions;
  #leaving: Leaving | undefined;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  get leaving(): Leaving | undefined {
    return this.#leaving;
  }

  /** From now on until `end`. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#tellQuietly(), REGISTER_EVERY);
    await this.#tellQuietly();
  }

  /** @throws if it can't be told: others may go on counting on this worker. */
  async leave(why: Leaving | undefined): Promise<void> {
    this.#leaving = why;
    await this.#tell();
  }

  /** The worker has gone. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    const { workers, log } = this.#options;
    await this.#after(async () => await workers.deregister(await this.#description())).catch((error: Error) =>
      log.warn('not deregistered; the entry ends by itself', error),
    );
  }

  async #tellQuietly(): Promise<void> {
    await this.#tell().catch((error: Error) => this.#options.log.warn('not registered; trying again', error));
  }

  async #tell(): Promise<void> {
    await this.#after(async () => await this.#options.workers.register(await this.#description()));
  }

  async #description() {
    return { ...(await this.#options.describe()), ...(this.#leaving && { leaving: this.#leaving }) };
  }

  /** In order: what is told last counts. */
  async #after(telling: () => Promise<void>): Promise<void> {
    const told = this.#last.then(telling);
    this.#last = told.catch(() => undefined);
    await told;
  }
}
