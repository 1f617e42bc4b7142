import { TableClock } from '../../../lib/platform/aws/table-clock.ts';
import type { Timing } from '../../../worker-container/output/timing.ts';
import type { Faults } from './faults.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process that can be killed or paused at every await; its machine's clock may be wrong. */
export class SimulatedProcess {
  readonly name: string;
  readonly clock: TableClock;
  readonly timing: Timing;
  readonly #time: VirtualTime;
  readonly #faults: Faults;
  #alive = true;
  #frozenUntil = 0;
  #cutOffUntil = 0;
  #onDeath: (() => void)[] = [];
  /** When it was last paused, milliseconds of virtual time. */
  #stoodStillAt = Number.NEGATIVE_INFINITY;

  constructor(name: string, time: VirtualTime, faults: Faults, skew: number) {
    this.name = name;
    this.#time = time;
    this.#faults = faults;
    this.clock = new TableClock({ wall: () => time.wall + skew, monotonic: () => time.now });
    this.timing = { now: () => time.now, schedule: (run, delay) => this.schedule(run, delay) };
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Whether it has run without a pause since a moment of virtual time. */
  hasRunSince(moment: number): boolean {
    return this.#alive && this.#frozenUntil <= moment && this.#stoodStillAt < moment;
  }

  /** Whether its calls reach the services. */
  get isConnected(): boolean {
    const outage = this.#faults.cutsOff();
    if (outage > 0) this.#cutOffUntil = Math.max(this.#cutOffUntil, this.#time.now + outage);
    return !this.#faults.active || this.#cutOffUntil <= this.#time.now;
  }

  /** Pauses it for so many milliseconds. */
  stall(milliseconds: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#time.now + milliseconds);
  }

  /** Whether its calls have reached the services since a moment of virtual time. */
  wasConnectedSince(moment: number): boolean {
    return this.#cutOffUntil <= moment;
  }

  onDeath(act: () => void): void {
    this.#onDeath.push(act);
  }

  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const act of this.#onDeath.splice(0)) act();
  }

  /** A timer of this process. @returns What calls it off. */
  schedule(run: () => void, delay: number): () => void {
    let isOff = false;
    const cancel = this.#time.schedule(() => this.deliver(() => isOff || run()), delay);
    return () => {
      isOff = true;
      cancel();
    };
  }

  /** Continues the process: at once, after its pause, or never. */
  deliver(goOn: () => void): void {
    if (!this.#alive) return;
    if (this.#faults.kills()) {
      this.kill();
      return;
    }
    const pause = this.#faults.freezes();
    if (pause > 0) this.#frozenUntil = Math.max(this.#frozenUntil, this.#time.now + pause);
    if (this.#frozenUntil > this.#time.now) {
      this.#stoodStillAt = this.#frozenUntil;
      this.#time.schedule(() => this.deliver(goOn), this.#frozenUntil - this.#time.now);
      return;
    }
    goOn();
  }
}
