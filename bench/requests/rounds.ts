import { aroundEveryRequest } from './every-request.ts';

/** Turns of the event loop after which whatever follows from an answer has made its requests. */
const TURNS = 20;

/**
 * Counts how often a caller waits for AWS: holds back what the clients of this process send until all earlier requests
 * are answered and no further one follows from them, then lets those that came go together, as one round.
 */
export class Rounds {
  #count = 0;
  #inFlight = 0;
  #isSettling = false;
  readonly #waiting: (() => void)[] = [];

  /** Of all clients of this process, wherever they are created. */
  static ofProcess(): Rounds {
    const rounds = new Rounds();
    aroundEveryRequest((_client, send) => rounds.#request(send));
    return rounds;
  }

  /** How many rounds there were since it was last asked. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  async #request(send: () => Promise<unknown>): Promise<unknown> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      void this.#settle();
    });
    try {
      return await send();
    } finally {
      this.#inFlight -= 1;
      void this.#settle();
    }
  }

  async #settle(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#isSettling = false;
    if (this.#inFlight > 0 || this.#waiting.length === 0) return;
    this.#count += 1;
    this.#inFlight = this.#waiting.length;
    for (const release of this.#waiting.splice(0)) release();
  }
}
