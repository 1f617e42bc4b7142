import { LEASE } from '../../lib/jobs/lifecycle/lease.ts';
import type { WorkerSignals } from '../../lib/live/worker-signals.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

interface SignalWatchOptions {
  readonly signals: Pick<WorkerSignals, 'read' | 'forget'>;
  readonly workerId: string;
  readonly onFailure: (error: unknown) => void;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/**
 * Reads this worker's signals while it holds anything: one read every 2 s, however many jobs run. A listener is called when
 * its number has changed since the last read, and once if it was raised before.
 */
export class SignalWatch {
  readonly #options: SignalWatchOptions;
  readonly #timing: Timing;
  readonly #listeners = new Map<string, () => void>();
  #known: ReadonlyMap<string, number> = new Map();
  #cancel: (() => void) | undefined;

  constructor(options: SignalWatchOptions) {
    this.#options = options;
    this.#timing = options.timing ?? machineTiming;
  }

  /** @param name what the signal is raised for: the id of a job. @returns ends it */
  listen(name: string, heard: () => void): () => void {
    this.#listeners.set(name, heard);
    if (this.#cancel === undefined) this.#schedule();
    return () => this.#leave(name, heard);
  }

  #leave(name: string, heard: () => void): void {
    if (this.#listeners.get(name) !== heard) return;
    this.#listeners.delete(name);
    const number = this.#known.get(name);
    const { signals, workerId, onFailure } = this.#options;
    if (number !== undefined) void signals.forget(workerId, name, number).catch(onFailure);
    if (this.#listeners.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    const cancel = this.#timing.schedule(() => void this.#look(cancel), LEASE.lookEvery);
    this.#cancel = cancel;
  }

  async #look(self: () => void): Promise<void> {
    const { signals, workerId, onFailure } = this.#options;
    try {
      const before = this.#known;
      this.#known = await signals.read(workerId);
      for (const [name, number] of this.#known) if (number !== before.get(name)) this.#listeners.get(name)?.();
    } catch (error) {
      onFailure(error);
    } finally {
      if (this.#cancel === self) this.#schedule();
    }
  }
}
