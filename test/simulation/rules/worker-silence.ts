import type { ModelDeployment } from '../worlds/deployment.ts';

/** Milliseconds after which a worker may be taken for lost, less what a clock may be wrong. */
const SILENT_AFTER = 45_000 - 2 * 1_100;

/** Which workers have left, or have ever registered nothing for so long, that others may take them for lost. */
export class WorkerSilence {
  readonly #deployment: ModelDeployment;
  /** When each worker has registered last by what it says, milliseconds of virtual time. */
  readonly #last = new Map<string, number>();
  readonly #silent = new Set<string>();

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /**
   * A worker registers, before it does anything else. Its last registration says that it leaves.
   * @param seenAt when it says so, RFC 3339: a write that is tried again can arrive much later
   */
  note(worker: string, { seenAt, isLeaving }: { readonly seenAt: string; readonly isLeaving: boolean }): void {
    if (isLeaving || (this.#last.has(worker) && this.#isSilent(worker))) this.#silent.add(worker);
    const { now, wall } = this.#deployment.time;
    this.#last.set(worker, Date.parse(seenAt) - (wall - now));
  }

  wasSilent(worker: string): boolean {
    return this.#silent.has(worker) || this.#isSilent(worker);
  }

  /** Registrations are left out while nothing is to be deployed. */
  #isSilent(worker: string): boolean {
    const last = this.#last.get(worker);
    if (last === undefined) return false;
    const { time, due } = this.#deployment;
    return time.now - Math.max(last, due.since) > SILENT_AFTER;
  }
}
