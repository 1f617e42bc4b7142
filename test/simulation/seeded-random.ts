/** Random numbers that follow from a seed alone, so that a world can be run again. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 up to but not including 1 (mulberry32). */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  /** A whole number, both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.next() * list.length)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }

  /** Mostly near `from`, seldom near `to`: as latencies and durations are. */
  skewed(from: number, to: number): number {
    return from * (to / from) ** (this.next() ** 3);
  }
}
