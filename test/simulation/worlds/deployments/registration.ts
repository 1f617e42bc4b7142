import { SharedLocks } from '../../../../lib/platform/shared-lock.ts';
import { LiveWorkers, REGISTER_INTERVAL_MS } from '../../../../lib/workers/live-workers.ts';
import { pause } from '../../../../worker-container/output/timing.ts';
import { FIRST_RETRY_MS } from '../../../../worker-container/pool/registration.ts';
import { ModelClient } from '../../model/client.ts';
import { ENV } from '../../model/environment.ts';
import type { SimulatedProcess } from '../../model/simulated-process.ts';
import type { ModelDeployment } from '../deployment.ts';

/** Milliseconds in which a worker that is abandoned ends, as `main.ts` has it. */
const ABANDON_TIMEOUT_MS = 15_000;

/**
 * What a worker tells the registry of itself, by the real store. Only the reconciler of deployments reads it here, so that
 * it is left out while none is pending.
 */
export class ModelRegistration {
  readonly #deployment: ModelDeployment;
  readonly #process: SimulatedProcess;
  readonly #workers: LiveWorkers;
  readonly #locks: SharedLocks;
  readonly #abandon: () => void;
  #isOver = false;
  #last: Promise<boolean> = Promise.resolve(false);
  #acknowledgedAt: number;

  /** @param abandon stops the worker's work, because the registry acknowledges nothing */
  constructor(deployment: ModelDeployment, process: SimulatedProcess, abandon: () => void) {
    const { table } = new ModelClient(deployment, process, { id: process.name, doing: 'work' });
    this.#deployment = deployment;
    this.#process = process;
    this.#abandon = abandon;
    const registry = { table, registryTable: ENV.REGISTRY_TABLE, clock: process.clock };
    this.#workers = new LiveWorkers(registry);
    this.#locks = new SharedLocks(registry);
    this.#acknowledgedAt = deployment.time.now;
  }

  /**
   * Resolves once the worker counts as live; others follow. The leases of its accounts, which come first, set its clock.
   * @throws if they can't be taken: a worker ends then
   */
  async start(): Promise<void> {
    await this.#locks.take(`account#${this.#process.name}`, this.#process.name);
    while (!(await this.#register())) await pause(this.#process.timing, FIRST_RETRY_MS);
    this.#repeat();
    const catchUp = () => void this.#process.schedule(() => this.#isOver || void this.#register(), 0);
    this.#process.onDeath(this.#deployment.due.onFirst(catchUp));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#last.then(() => this.#workers.deregister(this.#about())).catch(() => undefined);
  }

  #repeat(): void {
    const { time, due } = this.#deployment;
    this.#process.schedule(() => {
      if (this.#isOver) return;
      if (due.areThere) void this.#register();
      else this.#acknowledgedAt = time.now;
      if (time.now - this.#acknowledgedAt > ENV.PROMPTQ_UNACKNOWLEDGED_SECONDS * 1000) this.#giveUp();
      else this.#repeat();
    }, REGISTER_INTERVAL_MS);
  }

  #giveUp(): void {
    this.#isOver = true;
    this.#deployment.tellEvent('worker abandoned');
    this.#abandon();
    this.#process.schedule(() => this.#process.kill(), ABANDON_TIMEOUT_MS);
  }

  /** In order, and never rejects. @returns whether the worker counts as live */
  #register(): Promise<boolean> {
    this.#last = this.#last
      .then(() => this.#workers.register(this.#about()))
      .then(
        (isLive) => {
          this.#acknowledgedAt = this.#deployment.time.now;
          return isLive;
        },
        () => false,
      );
    return this.#last;
  }

  #about() {
    const { name: id } = this.#process;
    return { id, host: id, version: '0', concurrency: 1, running: [], started_at: '' };
  }
}
