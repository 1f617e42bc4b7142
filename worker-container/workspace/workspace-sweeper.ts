import { SWEEP_LOCK, sweepWorkspaces, type WorkspaceSweep } from './sweep-workspaces.ts';

/** Milliseconds. */
const SWEEP_INTERVAL_MS = 3_600_000;

/** Sweeps the workspaces now and every hour, until it is stopped. */
export class WorkspaceSweeper {
  readonly #sweep: WorkspaceSweep;
  #timer: NodeJS.Timeout | undefined;
  #isSweeping = false;

  constructor(sweep: WorkspaceSweep) {
    this.#sweep = sweep;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#run(), SWEEP_INTERVAL_MS);
    void this.#run();
  }

  /**
   * Call it when the process is about to exit. The next worker continues a sweep that this cuts off: to remove a large
   * folder from a network file system takes longer than an idle worker stays.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { locks, workerId, log } = this.#sweep;
    if (!this.#isSweeping) return;
    await locks
      .release(SWEEP_LOCK, workerId)
      .catch((error: Error) => log.warn('another worker continues the sweep of the workspaces only later', error));
  }

  /** A failure does no harm: the next sweep, by any worker, does the same work. */
  async #run(): Promise<void> {
    const { log } = this.#sweep;
    this.#isSweeping = true;
    await sweepWorkspaces(this.#sweep)
      .then((removed) => removed > 0 && log.info('removed folders of jobs that ended long ago', { removed }))
      .catch((error: Error) => log.warn('sweeping the workspaces failed', error));
    this.#isSweeping = false;
  }
}
