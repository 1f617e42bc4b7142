import type { Logger } from '@aws-lambda-powertools/logger';
import type { ScalingStore } from '../../lib/workers/scaling/scaling-store.ts';
import { readTaskIdentity } from './task-identity.ts';

/** How often (ms) a worker checks whether another build is wanted. */
const OUTDATED_INTERVAL_MS = 15_000;

interface BuildCheckOptions {
  /** Undefined outside ECS. */
  readonly metadataUri: string | undefined;
  readonly scaling: Pick<ScalingStore, 'readState'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Compares the build of this worker's task with the wanted one. Workers of the local run are never outdated. */
export class BuildCheck {
  readonly #options: BuildCheckOptions;
  #task: Awaited<ReturnType<typeof readTaskIdentity>>;
  #nextCheckAt = 0;

  constructor(options: BuildCheckOptions) {
    this.#options = options;
  }

  /** The task that this worker runs in; undefined outside ECS, and until ECS has identified it. */
  get task() {
    return this.#task;
  }

  /** ECS may not answer while the machine is busy starting: later checks ask it again. */
  async readTask(): Promise<void> {
    this.#task = await readTaskIdentity(this.#options.metadataUri).catch((error: Error) => {
      this.#options.log.warn('ECS did not identify this task: whether it is outdated is unknown until it does', error);
      return undefined;
    });
  }

  async isOutdated(): Promise<boolean> {
    if (performance.now() < this.#nextCheckAt) return false;
    this.#nextCheckAt = performance.now() + OUTDATED_INTERVAL_MS;
    if (this.#task === undefined) await this.readTask();
    if (this.#task === undefined) return false;
    const { wanted } = await this.#options.scaling.readState();
    return wanted !== undefined && wanted !== this.#task.build;
  }
}
