interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Where virtual time begins, milliseconds since 1970. */
const BEGINNING = Date.parse('2026-11-20T10:00:00.000Z');

/**
 * Time that passes only from event to event. Between two events all promises that can continue do so; nothing else lets
 * them continue, so that one seed gives one sequence of events.
 */
export class VirtualTime {
  readonly #heap: Entry[] = [];
  #now = 0;
  #order = 0;

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  /** Milliseconds since 1970: the true time, which the table reports. */
  get wall(): number {
    return BEGINNING + this.#now;
  }

  /** A moment of virtual time as milliseconds since 1970. */
  wallAt(moment: number): number {
    return BEGINNING + moment;
  }

  /** Runs something after `delay` milliseconds. @returns What calls it off. */
  schedule(run: () => void, delay: number): () => void {
    this.#order += 1;
    const entry: Entry = { at: this.#now + Math.max(0, delay), order: this.#order, run };
    this.#push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve, delay));
  }

  /** Runs events until `isOver`, or until there are none. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const entry = this.#pop();
      if (entry === undefined) return;
      if (entry.run === undefined) continue;
      this.#now = Math.max(this.#now, entry.at);
      entry.run();
      await settled();
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, entry)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below !== undefined && right !== undefined && isBefore(right, below)) {
        below = right;
        child += 1;
      }
      if (below === undefined || isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/**
 * Until every promise that can continue has done so. Node runs its whole queue of microtasks before the next immediate,
 * however long it is.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
