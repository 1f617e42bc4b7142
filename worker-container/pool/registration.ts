import { statfs } from 'node:fs/promises';
import { arch, availableParallelism, freemem, loadavg, platform, release, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import { stallTolerantTimer } from '../../lib/platform/stall-tolerant-timer.ts';
import {
  type LiveWorkers,
  type Machine,
  REGISTER_INTERVAL_MS,
  type WorkerInfo,
} from '../../lib/workers/live-workers.ts';

/** How often (ms) to check the time since the last acknowledgement. */
const CHECK_INTERVAL_MS = 1_000;

/** Milliseconds before a first registration that failed, or arrived late, is repeated. */
export const FIRST_RETRY_MS = 1_000;

/** How long (ms) the end of the worker waits until its entry is deleted. */
const DEREGISTER_TIMEOUT_MS = 5_000;

type DrainState = NonNullable<WorkerInfo['leaving']>;

interface RegistrationOptions {
  readonly workers: Pick<LiveWorkers, 'register' | 'deregister'>;
  /** The worker's current state, for the registry. */
  readonly describe: () => Promise<Parameters<LiveWorkers['register']>[0]>;
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds without an acknowledgement, not counting time in which the machine was suspended. */
  readonly unacknowledgedLimitMs: number;
  /** Called once, when the registry has acknowledged nothing for that long. */
  readonly onUnacknowledged: () => void;
}

/** Registers this worker: that it is alive, what it runs, and whether it is about to shut down. One write at a time. */
export class Registration {
  readonly #options: RegistrationOptions;
  #draining: DrainState | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timers: readonly NodeJS.Timeout[] = [];
  #hasTimeLeft: () => boolean;
  #isUnacknowledged = false;

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#hasTimeLeft = stallTolerantTimer(options.unacknowledgedLimitMs);
  }

  get draining(): DrainState | undefined {
    return this.#draining;
  }

  /**
   * Registers repeatedly until `end`. Resolves once the worker counts as live, or is to shut down: until then, others
   * would take it for lost, and give up the commands that it runs.
   */
  async start(draining: AbortSignal): Promise<void> {
    this.#timers = [
      setInterval(() => void this.#tryRegister(), REGISTER_INTERVAL_MS),
      // Independent of the registrations, which wait for each other: the table may not answer at all.
      setInterval(() => this.#checkAcknowledged(), CHECK_INTERVAL_MS),
    ];
    // A registration that nobody answers can take minutes.
    const aborted = new Promise<boolean>((resolve) => {
      draining.addEventListener('abort', () => resolve(true), { once: true });
    });
    while (!draining.aborted && !(await Promise.race([this.#tryRegister(), aborted])))
      await sleep(FIRST_RETRY_MS, undefined, { signal: draining }).catch(() => undefined);
  }

  /**
   * A worker that is being stopped stays so, whatever a check in progress finds; so does a retired one, until it is stopped.
   * @throws if the registry can't be reached: worker scaling may still count on this worker.
   */
  async announceDraining(why: DrainState | undefined): Promise<void> {
    if (this.#draining === 'stopped' || (this.#draining === 'retired' && why !== 'stopped')) return;
    this.#draining = why;
    await this.#register();
  }

  /** Deregisters the worker. If the registry does not take this in time, the entry expires. */
  async end(): Promise<void> {
    this.#stopTimers();
    if (this.#isUnacknowledged) return;
    const { workers, log } = this.#options;
    const deregistered = this.#after(async () => await workers.deregister(await this.#description())).catch(
      (error: Error) => log.warn('not deregistered; the entry will expire', error),
    );
    await Promise.race([deregistered, sleep(DEREGISTER_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #checkAcknowledged(): void {
    if (this.#hasTimeLeft()) return;
    this.#isUnacknowledged = true;
    this.#stopTimers();
    this.#options.onUnacknowledged();
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** @returns whether the worker counts as live */
  async #tryRegister(): Promise<boolean> {
    try {
      return await this.#register();
    } catch (error) {
      this.#options.log.warn('not registered; trying again', error as Error);
      return false;
    }
  }

  async #register(): Promise<boolean> {
    const { workers, unacknowledgedLimitMs } = this.#options;
    const isLive = await this.#after(async () => await workers.register(await this.#description()));
    this.#hasTimeLeft = stallTolerantTimer(unacknowledgedLimitMs);
    return isLive;
  }

  async #description(): ReturnType<RegistrationOptions['describe']> {
    const description = await this.#options.describe();
    return this.#draining === undefined ? description : { ...description, leaving: this.#draining };
  }

  /** In order: the last write counts. */
  async #after<T>(sending: () => Promise<T>): Promise<T> {
    const sent = this.#last.then(sending);
    this.#last = sent.catch(() => undefined);
    return await sent;
  }
}

/** The current state of this worker's machine; in a container, its own share of memory. */
export async function describeMachine(workFolder: string): Promise<Machine> {
  const limit = process.constrainedMemory();
  const total = limit > 0 && limit < totalmem() ? limit : totalmem();
  const free = total < totalmem() ? process.availableMemory() : freemem();
  // A missing folder is omitted; it must not end the worker.
  const disk = await statfs(workFolder).catch(() => undefined);
  return {
    cpus: availableParallelism(),
    load_1m: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    architecture: arch(),
    platform: `${platform()} ${release()}`,
    node_version: process.version,
    memory: { total_bytes: total, free_bytes: Math.min(free, total) },
    ...(disk && { storage: { total_bytes: disk.blocks * disk.bsize, free_bytes: disk.bavail * disk.bsize } }),
  };
}
