import type { ParkReason } from '../../../lib/jobs/lifecycle/gates.ts';
import { QUEUE } from '../../../lib/platform/aws/tables.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { QueueLimits, QueueMisdeeds } from './queue.ts';
import type { Staleness } from './table.ts';

/** What can go wrong, as the simulator counts it. */
export const FAULTS = [
  'killed',
  'frozen',
  'stalled by commands',
  'cut off',
  'refused',
  'unanswered',
  'throttled',
  'met a transaction',
  'slow',
  'stale index',
  'stale read',
  'message lost',
  'message doubled',
  'message delivered twice',
  'message reordered',
  'message expired',
  'dead letter',
  'queues purged',
  'deployed',
  'no workers',
  'clock skewed',
  'batch repeated',
  'receipt unreadable',
  'watch missed',
  'vendor refuses',
] as const;
export type FaultKind = (typeof FAULTS)[number];
export type FaultCounts = Record<FaultKind, number>;

/** How likely each fault is in one world: chances per call or per step, longest delays in milliseconds. */
interface Mischief {
  readonly kill: number;
  readonly freeze: number;
  readonly cutOff: number;
  readonly refuse: number;
  readonly conflict: number;
  readonly unanswered: number;
  readonly slow: number;
  readonly indexDelay: number;
  readonly readLag: number;
  readonly lose: number;
  readonly double: number;
  readonly deliverTwice: number;
  readonly reorder: number;
  readonly queues: QueueLimits;
}

/** Worlds without losses and deaths must make progress without the reconciler. */
export type Weather = 'orderly' | 'stormy';

const AS_DEPLOYED: QueueLimits = {
  retention: QUEUE.messageRetention * 1000,
  maxReceiveCount: QUEUE.maxReceiveCount,
};

/** The faults of one world: its seed decides which; they happen only until `end`. */
export class Faults implements Staleness, QueueMisdeeds {
  readonly counts: FaultCounts = Object.fromEntries(FAULTS.map((kind) => [kind, 0])) as FaultCounts;
  readonly weather: Weather;
  readonly #random: SeededRandom;
  readonly #mischief: Mischief;
  /** The profile whose vendor rejects requests; undefined: all profiles. */
  refused: string | undefined;
  /** The answer of a vendor that rejects requests now. */
  vendor: ParkReason | undefined;
  #active = true;
  #throttled = false;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.weather = random.chance(0.15) ? 'orderly' : 'stormy';
    this.#mischief = this.weather === 'orderly' ? orderly(random) : stormy(random);
  }

  get active(): boolean {
    return this.#active;
  }

  /** When the faults ended, milliseconds of virtual time. */
  overAt = Number.POSITIVE_INFINITY;

  end(now: number): void {
    this.overAt = now;
    this.#active = false;
    this.#throttled = false;
    this.vendor = undefined;
  }

  /** How long the queues keep a message and how often they deliver it: less in some worlds. */
  get queues(): QueueLimits {
    return this.#mischief.queues;
  }

  set throttled(throttled: boolean) {
    this.#throttled = throttled;
  }

  kills(): boolean {
    return this.#happens('killed', this.#mischief.kill);
  }

  /** Milliseconds that a process is paused, or 0. */
  freezes(): number {
    return this.#happens('frozen', this.#mischief.freeze) ? 500 * 1_200 ** this.#random.next() : 0;
  }

  /** Milliseconds that a process reaches no service, or 0. */
  cutsOff(): number {
    return this.#happens('cut off', this.#mischief.cutOff) ? 5_000 * 60 ** this.#random.next() : 0;
  }

  refuses(): boolean {
    if (this.#throttled && this.#happens('throttled', 0.85)) return true;
    return this.#happens('refused', this.#mischief.refuse);
  }

  /** Whether a write of a job meets a transaction of the same item, which is not applied in the end. */
  meetsTransaction(): boolean {
    return this.#happens('met a transaction', this.#mischief.conflict);
  }

  /** Whether a call is applied and its answer lost. */
  loosesAnswer(): boolean {
    return this.#happens('unanswered', this.#mischief.unanswered);
  }

  /** Milliseconds that a request or an answer takes. */
  latency(): number {
    if (this.#happens('slow', this.#mischief.slow))
      return this.#random.skewed(100, this.weather === 'orderly' ? 1_000 : 60_000);
    return this.#random.integer(1, 8);
  }

  indexDelay(): number {
    const { indexDelay } = this.#mischief;
    return this.#happens('stale index', 0.3) ? this.#random.skewed(30, indexDelay) : this.#random.integer(1, 30);
  }

  readLag(): number {
    const { readLag } = this.#mischief;
    return readLag > 0 && this.#happens('stale read', 0.3) ? this.#random.skewed(1, readLag) : 0;
  }

  pageSize(): number {
    return this.#active && this.#random.chance(0.2) ? this.#random.integer(1, 7) : 1_000;
  }

  loses(): boolean {
    return this.#happens('message lost', this.#mischief.lose);
  }

  doubles(): boolean {
    return this.#happens('message doubled', this.#mischief.double);
  }

  deliversTwice(): boolean {
    return this.#happens('message delivered twice', this.#mischief.deliverTwice);
  }

  reorders(): boolean {
    return this.#happens('message reordered', this.#mischief.reorder);
  }

  onExpired(): void {
    this.counts['message expired'] += 1;
  }

  onDeadLetter(): void {
    this.counts['dead letter'] += 1;
  }

  /** Counts a fault that the world itself causes. */
  happens(kind: FaultKind, chance: number): boolean {
    return this.#happens(kind, chance);
  }

  #happens(kind: FaultKind, chance: number): boolean {
    if (!this.#active || !this.#random.chance(chance)) return false;
    this.counts[kind] += 1;
    return true;
  }
}

function orderly(random: SeededRandom): Mischief {
  return {
    kill: 0,
    freeze: 0,
    cutOff: 0,
    refuse: random.pick([0, 0.01]),
    conflict: random.pick([0, 0.01]),
    unanswered: random.pick([0, 0.01]),
    slow: random.pick([0, 0.05]),
    indexDelay: random.pick([30, 500, 3_000]),
    readLag: random.pick([0, 500]),
    lose: 0,
    double: random.pick([0, 0.1]),
    deliverTwice: random.pick([0, 0.05]),
    reorder: random.pick([0, 0.3]),
    queues: AS_DEPLOYED,
  };
}

function stormy(random: SeededRandom): Mischief {
  return {
    kill: random.pick([0, 0.0003, 0.002, 0.008, 0.03]),
    freeze: random.pick([0, 0.0005, 0.003, 0.01]),
    cutOff: random.pick([0, 0, 0.0005, 0.003]),
    refuse: random.pick([0, 0.005, 0.03, 0.15]),
    conflict: random.pick([0, 0.01, 0.1]),
    unanswered: random.pick([0, 0.005, 0.03, 0.15]),
    slow: random.pick([0, 0.01, 0.05, 0.1]),
    indexDelay: random.pick([30, 1_000, 20_000, 120_000]),
    readLag: random.pick([0, 500, 5_000]),
    lose: random.pick([0, 0.02, 0.2]),
    double: random.pick([0, 0.05, 0.3]),
    deliverTwice: random.pick([0, 0.05]),
    reorder: random.pick([0.1, 0.5]),
    queues: random.pick([
      AS_DEPLOYED,
      AS_DEPLOYED,
      { ...AS_DEPLOYED, retention: random.integer(950_000, 1_500_000) },
      { ...AS_DEPLOYED, maxReceiveCount: random.integer(1, 4) },
    ]),
  };
}
