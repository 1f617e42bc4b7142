import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { MessagePoller } from './message-poller.ts';
import type { Registration } from './registration.ts';

/** How often (ms) a worker checks whether to shut down. */
const POLL_INTERVAL_MS = 1_000;

interface IdleShutdownOptions {
  /** Milliseconds without work after which the worker shuts down; undefined: it stays. */
  readonly idleFor: number | undefined;
  /** Milliseconds since its last work; 0 while it works. */
  readonly idleSince: () => number;
  /** Whether the vendor account needs a worker. Read each time, since no other worker may come for it. */
  readonly isNeeded: () => Promise<boolean>;
  /** Whether the deployment keeps this worker running without work. */
  readonly isKept: () => Promise<boolean>;
  /** Whether workers of another build are wanted. */
  readonly isOutdated: () => Promise<boolean>;
  readonly source: Pick<MessagePoller, 'lastPoll'>;
  readonly registration: Pick<Registration, 'announceDraining'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Shuts an idle or outdated worker down. The worker announces it first, so that worker scaling no longer counts on it.
 * A last poll then finds jobs that arrived before the announcement; if there is one, the worker stays.
 */
export class IdleShutdown {
  readonly #options: IdleShutdownOptions;

  constructor(options: IdleShutdownOptions) {
    this.#options = options;
  }

  /** Resolves when the worker is to receive no more messages, or when `draining` is aborted. */
  async wait(draining: AbortSignal): Promise<void> {
    while (!draining.aborted) {
      await sleep(POLL_INTERVAL_MS, undefined, { signal: draining }).catch(() => undefined);
      if (draining.aborted) return;
      const isShuttingDown = await this.#check().catch((error: Error) => {
        this.#options.log.warn('checking whether to shut down failed; this worker stays', error);
        return false;
      });
      if (isShuttingDown) return;
    }
  }

  async #check(): Promise<boolean> {
    const { idleFor, idleSince, isKept, isOutdated, registration, log } = this.#options;
    if (await isOutdated()) {
      await registration.announceDraining('outdated');
      log.info('another build is wanted; this worker shuts down when its jobs have ended');
      return true;
    }
    if (idleFor === undefined || idleSince() < idleFor || (await isKept())) return false;
    return await this.#shutDownIfIdle();
  }

  async #shutDownIfIdle(): Promise<boolean> {
    const { source, isNeeded, registration, log } = this.#options;
    let isShuttingDown = false;
    try {
      await registration.announceDraining('idle');
      isShuttingDown = !(await isNeeded()) && (await source.lastPoll());
    } finally {
      if (!isShuttingDown) await registration.announceDraining(undefined);
    }
    if (isShuttingDown) log.info('idle; this worker shuts down');
    return isShuttingDown;
  }
}
