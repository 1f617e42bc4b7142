import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { MessagePoller } from './message-poller.ts';
import type { Registration } from './registration.ts';

/** How often (ms) a worker looks whether it is to leave. */
const POLL_INTERVAL_MS = 1_000;

interface IdleShutdownOptions {
  /** Milliseconds without work after which the worker leaves; undefined: it stays. */
  readonly idleFor: number | undefined;
  /** Milliseconds since it last did anything; 0 while it does. */
  readonly idleSince: () => number;
  /** Whether the account needs a worker. Read anew, since nobody else may come for it. */
  readonly isNeeded: () => Promise<boolean>;
  /** Whether workers of another build are wanted. */
  readonly isOutdated: () => Promise<boolean>;
  readonly source: Pick<MessagePoller, 'lastPoll'>;
  readonly registration: Pick<Registration, 'announceDraining'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Sees to it that a worker leaves that has nothing to do, or is outdated. It says so first: from then on whoever decides
 * how many workers there are does not count on it. What had come before is found by a last look, and the worker stays.
 */
export class IdleShutdown {
  readonly #options: IdleShutdownOptions;

  constructor(options: IdleShutdownOptions) {
    this.#options = options;
  }

  /** Until the worker is to take nothing more, or is told so otherwise (`draining`). */
  async wait(draining: AbortSignal): Promise<void> {
    while (!draining.aborted) {
      await sleep(POLL_INTERVAL_MS, undefined, { signal: draining }).catch(() => undefined);
      if (draining.aborted) return;
      const isShuttingDown = await this.#check().catch((error: Error) => {
        this.#options.log.warn('whether this worker is to leave is not known; it stays', error);
        return false;
      });
      if (isShuttingDown) return;
    }
  }

  async #check(): Promise<boolean> {
    const { idleFor, idleSince, isOutdated, registration, log } = this.#options;
    if (await isOutdated()) {
      await registration.announceDraining('outdated');
      log.info('workers of another build are wanted; this one leaves when its jobs have ended');
      return true;
    }
    if (idleFor === undefined || idleSince() < idleFor) return false;
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
    if (isShuttingDown) log.info('nothing to do; this worker leaves');
    return isShuttingDown;
  }
}
