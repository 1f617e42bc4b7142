import { once } from 'node:events';

/** Reports which tables may have been written, so that a reader need not look every moment. */
export class TableWrites {
  readonly #events = new EventTarget();
  readonly #counts = new Map<string, number>();
  #any = 0;

  /** Writes to a table so far; several at once may count as one. */
  count(table: string): number {
    return this.#any + (this.#counts.get(table) ?? 0);
  }

  /** @param tables none: any */
  note(tables: readonly string[]): void {
    if (tables.length === 0) this.#any += 1;
    for (const table of tables) this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
    this.#events.dispatchEvent(new Event('write'));
  }

  /** Waits until there are more than `known` to a table, for at most so many milliseconds. */
  async moreThan(known: number, table: string, limitMs: number, signal: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    while (this.count(table) <= known && !over.aborted)
      await once(this.#events, 'write', { signal: over }).catch(() => undefined);
  }
}
