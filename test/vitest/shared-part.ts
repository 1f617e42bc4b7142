/**
 * What test files of one process share, such as a local run: the first file that asks for it starts it, and the third in a
 * row that does without it ends it. `shared-process.ts` tells when a file begins and ends.
 */
export class SharedPart<T> {
  static readonly #started = new Set<SharedPart<unknown>>();
  static #isInFile = false;
  readonly #how: Lifecycle<T>;
  #value: Promise<T> | undefined;
  #isUsed = false;
  /** Files in a row that have not used it. */
  #unused = 0;

  constructor(how: Lifecycle<T>) {
    this.#how = how;
  }

  /** @throws Error in a process of a single file, which shares nothing and in which nothing would be checked */
  async get(): Promise<T> {
    if (!SharedPart.#isInFile) throw new Error('this file has its own process (vitest.config.ts): start its own part');
    this.#isUsed = true;
    this.#value ??= this.#how.start();
    SharedPart.#started.add(this);
    return await this.#value;
  }

  static beginFile(): void {
    SharedPart.#isInFile = true;
  }

  /** @throws whatever is wrong with a part that the file has used, or that ends */
  static async endFile(): Promise<void> {
    const ends = await Promise.allSettled([...SharedPart.#started].map(async (part) => await part.#endFile()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #endFile(): Promise<void> {
    const isUsed = this.#isUsed;
    this.#isUsed = false;
    const value = await this.#value?.catch(() => undefined);
    this.#unused = isUsed ? 0 : this.#unused + 1;
    if (value === undefined || this.#unused >= MAX_UNUSED) return await this.#end(value);
    if (!isUsed) return;
    try {
      await this.#how.afterFile(value);
    } catch (error) {
      // The next file must not get what this one has spoiled.
      await this.#end(value).catch(() => undefined);
      throw error;
    }
  }

  async #end(value: T | undefined): Promise<void> {
    SharedPart.#started.delete(this);
    this.#value = undefined;
    if (value !== undefined) await this.#how.end(value);
  }
}

/** Keeping it costs memory, starting it again some seconds of CPU. */
const MAX_UNUSED = 3;

interface Lifecycle<T> {
  start(): Promise<T>;
  /** After each file that has used it. @throws what is wrong with it */
  afterFile(value: T): Promise<void>;
  end(value: T): Promise<unknown>;
}
