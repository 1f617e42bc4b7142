/** Write units that one partition takes in a second. */
const CAPACITY = 1_000;

/** Seconds of more than that, after which DynamoDB splits a partition whose keys are not ordered by time. */
const SPLIT_AFTER = 60;

interface Group {
  /** Units of this second, and those that were refused before. */
  fresh: number;
  waiting: number;
  partitions: number;
  overloaded: number;
  readonly isSpread: boolean;
}

/**
 * Partitions of tables and indexes, without the burst that DynamoDB may grant. What a partition refuses is tried again
 * in the next second. Keys ordered by time always write to the same end, so a split does not help them.
 */
export class Partitions {
  readonly #groups = new Map<string, Group>();
  /** Units in all, and those that were not taken in their second. */
  units = 0;
  refused = 0;

  /**
   * @param place an index and its partition key; a table, or a part of it, as a whole
   * @param spread the partitions at first, if its keys are not ordered by time, so that splits help
   */
  write(place: string, units: number, { spread }: { spread?: number }): void {
    let group = this.#groups.get(place);
    if (group === undefined) {
      group = { fresh: 0, waiting: 0, partitions: spread ?? 1, overloaded: 0, isSpread: spread !== undefined };
      this.#groups.set(place, group);
    }
    group.fresh += units;
    this.units += units;
  }

  /** Ends the second. @returns the places that refuse writes */
  tick(): string[] {
    const refusing: string[] = [];
    for (const [place, group] of this.#groups) {
      const left = Math.max(0, group.waiting + group.fresh - group.partitions * CAPACITY);
      this.refused += Math.min(group.fresh, left);
      Object.assign(group, { fresh: 0, waiting: left, overloaded: left > 0 ? group.overloaded + 1 : 0 });
      if (left > 0) refusing.push(place);
      if (!group.isSpread || group.overloaded < SPLIT_AFTER) continue;
      Object.assign(group, { partitions: group.partitions * 2, overloaded: 0 });
    }
    return refusing;
  }

  partitionsOf(place: string): number {
    return this.#groups.get(place)?.partitions ?? 1;
  }

  /** Seconds that a new write waits, where it waits longest. */
  get wait(): number {
    const waits = [...this.#groups.values()].map(({ waiting, partitions }) => waiting / (partitions * CAPACITY));
    return Math.max(0, ...waits);
  }
}
