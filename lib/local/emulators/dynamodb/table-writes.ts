import { once } from 'node:events';

/** Reports that tables may have been written, so that a reader need not look every moment. */
export class TableWrites {
  readonly #events = new EventTarget();
  #count = 0;

  /** Writes so far; several at once may count as one. */
  get count(): number {
    return this.#count;
  }

  note(): void {
    this.#count += 1;
    this.#events.dispatchEvent(new Event('write'));
  }

  /** Waits until there are more than `known`, for at most so many milliseconds. */
  async moreThan(known: number, limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#count > known) return;
    const over = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    await once(this.#events, 'write', { signal: over }).catch(() => undefined);
  }
}
