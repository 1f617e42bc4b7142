/** Units that one partition takes in a second. */
const CAPACITY = { writes: 1_000, reads: 3_000 } as const;
export type Kind = keyof typeof CAPACITY;

/** Seconds of more than that, after which DynamoDB splits a partition whose keys are not ordered by time. */
const SPLIT_AFTER = 60;

/** Seconds of unused capacity that DynamoDB keeps for a burst, if it has them. */
const BURST_SECONDS = 300;

interface Group {
  readonly kind: Kind;
  /** Units of this second, and those that were refused before. */
  fresh: number;
  waiting: number;
  /** Units that were not used before. */
  saved: number;
  partitions: number;
  overloaded: number;
  readonly isSpread: boolean;
}

/**
 * Partitions of tables and indexes. What a partition refuses is tried again in the next second. Keys ordered by time
 * always write to the same end, and one item is always in the same place, so a split helps neither.
 */
export class Partitions {
  readonly #groups = new Map<string, Group>();
  readonly #bursts: boolean;
  /** Units of each kind, and those that were not taken in their second. */
  readonly units: Record<Kind, number> = { writes: 0, reads: 0 };
  readonly refused: Record<Kind, number> = { writes: 0, reads: 0 };

  /** @param options.bursts whether unused capacity of the last five minutes is granted, which DynamoDB does not promise */
  constructor({ bursts = false }: { bursts?: boolean } = {}) {
    this.#bursts = bursts;
  }

  /**
   * @param place an index and its partition key; a table, or a part of it, as a whole
   * @param options.spread the partitions at first, if its keys are not ordered by time, so that splits help
   */
  take(place: string, units: number, { spread, kind = 'writes' }: { spread?: number; kind?: Kind } = {}): void {
    const name = `${place} ${kind}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      const partitions = spread ?? 1;
      const saved = this.#bursts ? BURST_SECONDS * CAPACITY[kind] * partitions : 0;
      group = { kind, fresh: 0, waiting: 0, saved, partitions, overloaded: 0, isSpread: spread !== undefined };
      this.#groups.set(name, group);
    }
    group.fresh += units;
    this.units[kind] += units;
  }

  /** Ends the second. @returns the places that refuse something */
  tick(): string[] {
    const refusing: string[] = [];
    for (const [name, group] of this.#groups) {
      const capacity = group.partitions * CAPACITY[group.kind];
      const wanted = group.waiting + group.fresh;
      const left = Math.max(0, Math.round(wanted - capacity - group.saved));
      this.refused[group.kind] += Math.min(group.fresh, left);
      const saved = Math.min(BURST_SECONDS * capacity, group.saved + capacity - (wanted - left));
      Object.assign(group, {
        fresh: 0,
        waiting: left,
        saved: this.#bursts ? saved : 0,
        overloaded: left > 0 ? group.overloaded + 1 : 0,
      });
      if (left > 0) refusing.push(name);
      if (!group.isSpread || group.overloaded < SPLIT_AFTER) continue;
      Object.assign(group, { partitions: group.partitions * 2, overloaded: 0 });
    }
    return refusing;
  }

  partitionsOf(place: string, kind: Kind = 'writes'): number {
    return this.#groups.get(`${place} ${kind}`)?.partitions ?? 1;
  }

  /** Seconds that a new write waits, where it waits longest. */
  get wait(): number {
    const waits = [...this.#groups.values()].map(
      ({ kind, waiting, partitions }) => waiting / (partitions * CAPACITY[kind]),
    );
    return Math.max(0, ...waits);
  }
}
