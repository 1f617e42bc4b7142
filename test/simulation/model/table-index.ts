import type { IndexSpec } from '../../../lib/platform/aws/tables.ts';
import type { Item } from './expressions.ts';

interface Entry {
  readonly sort: string;
  readonly item: Item;
}

interface Pending {
  readonly id: string;
  readonly at: number;
  readonly after: Item | undefined;
}

/** A global secondary index: what is written shows in it some time later, the writes of one item in their order. */
export class ModelIndex {
  readonly spec: IndexSpec;
  readonly #tableKey: string;
  readonly #partitions = new Map<string, Entry[]>();
  readonly #placed = new Map<string, Entry & { readonly partition: string }>();
  readonly #lastAt = new Map<string, number>();
  #pending: Pending[] = [];

  constructor(spec: IndexSpec, tableKey: string) {
    this.spec = spec;
    this.#tableKey = tableKey;
  }

  /** Something was written; it shows at `at`, or as soon as what was written to the same item before. */
  write(id: string, after: Item | undefined, at: number): void {
    const due = Math.max(at, this.#lastAt.get(id) ?? 0);
    this.#lastAt.set(id, due);
    this.#pending.push({ id, at: due, after });
  }

  /** A page in order of the sort key, and where the next begins. */
  query(
    now: number,
    wanted: {
      partition: string;
      /** Both inclusive; default: all. */
      between?: { readonly low: string; readonly high: string } | undefined;
      forward: boolean;
      limit: number;
      from: Item | undefined;
    },
  ): { items: Item[]; last: Item | undefined } {
    this.#catchUp(now);
    const { between } = wanted;
    const all = this.#partitions.get(wanted.partition) ?? [];
    const entries = between === undefined ? all : all.filter(({ sort }) => sort >= between.low && sort <= between.high);
    const ordered = wanted.forward ? entries : entries.toReversed();
    const start = wanted.from === undefined ? 0 : this.#after(ordered, wanted.from, wanted.forward);
    const page = ordered.slice(start, start + wanted.limit);
    const lastEntry = page.at(-1);
    const isCut = lastEntry !== undefined && page.length === wanted.limit;
    return { items: page.map(({ item }) => item), last: isCut ? this.#keyOf(lastEntry.item) : undefined };
  }

  #catchUp(now: number): void {
    if (this.#pending.length === 0) return;
    const left: Pending[] = [];
    for (const each of this.#pending) {
      if (each.at > now) left.push(each);
      else this.#place(each.id, each.after);
    }
    this.#pending = left;
  }

  #place(id: string, after: Item | undefined): void {
    const placed = this.#placed.get(id);
    if (placed !== undefined) {
      const entries = this.#partitions.get(placed.partition) ?? [];
      const at = entries.findIndex(({ item }) => item[this.#tableKey] === id);
      if (at >= 0) entries.splice(at, 1);
      this.#placed.delete(id);
    }
    const partition = after?.[this.spec.partitionKey];
    const sort = after?.[this.spec.sortKey];
    if (after === undefined || typeof partition !== 'string' || typeof sort !== 'string') return;
    const entry = { sort, item: this.#projected(after) };
    const entries = this.#partitions.get(partition) ?? [];
    let at = entries.length;
    while (at > 0 && (entries[at - 1]?.sort ?? '') > sort) at -= 1;
    entries.splice(at, 0, entry);
    this.#partitions.set(partition, entries);
    this.#placed.set(id, { ...entry, partition });
  }

  #projected(item: Item): Item {
    if (this.spec.attributes === 'all') return item;
    const names = [this.#tableKey, this.spec.partitionKey, this.spec.sortKey, ...this.spec.attributes];
    return Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
  }

  #keyOf(item: Item): Item {
    const { partitionKey, sortKey } = this.spec;
    return { [this.#tableKey]: item[this.#tableKey], [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] };
  }

  #after(ordered: readonly Entry[], from: Item, forward: boolean): number {
    const known = ordered.findIndex(({ item }) => item[this.#tableKey] === from[this.#tableKey]);
    if (known >= 0) return known + 1;
    const sort = String(from[this.spec.sortKey]);
    const next = ordered.findIndex((entry) => (forward ? entry.sort > sort : entry.sort < sort));
    return next < 0 ? ordered.length : next;
  }
}
