/** Ends the parts of a service, stage by stage, even if some of them fail. */
export class Shutdown {
  readonly #log: (line: string) => void;
  readonly #stages = new Map<string, { readonly limitMs: number; readonly parts: (() => Promise<unknown>)[] }>();

  /** @param stages in order, each with the milliseconds that its parts, ended in parallel, may take */
  constructor(stages: readonly (readonly [name: string, limitMs: number])[], log: (line: string) => void) {
    this.#log = log;
    for (const [name, limitMs] of stages) this.#stages.set(name, { limitMs, parts: [] });
  }

  add(stage: string, end: () => Promise<unknown>): void {
    this.#stages.get(stage)?.parts.push(end);
  }

  async run(): Promise<void> {
    for (const [name, { limitMs, parts }] of this.#stages) {
      const ending = Promise.all(
        parts.map(async (end) => await end().catch((error: unknown) => this.#log(`${name}: ${String(error)}`))),
      );
      const { promise: limit, resolve } = Promise.withResolvers<'too long'>();
      const timer = setTimeout(() => resolve('too long'), limitMs);
      if ((await Promise.race([ending, limit])) === 'too long')
        this.#log(`${name}: not ended within ${limitMs} ms, left behind`);
      clearTimeout(timer);
    }
  }
}
