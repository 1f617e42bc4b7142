/** How much texts are about the same, by the words that few of them share. */
export class AlikeTexts {
  readonly #words: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #holders: ReadonlyMap<string, number>;

  /** @param texts by name */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#words = new Map([...texts].map(([name, text]) => [name, wordsIn(text)]));
    const holders = new Map<string, number>();
    for (const words of this.#words.values()) for (const word of words) holders.set(word, (holders.get(word) ?? 0) + 1);
    this.#holders = holders;
  }

  /** @returns for a name, how much its text is about the same as this one: 0, nothing. */
  like(text: string): (name: string) => number {
    const wanted = wordsIn(text);
    return (name) => {
      const words = this.#words.get(name) ?? new Set();
      let sum = 0;
      for (const word of wanted)
        if (words.has(word)) sum += Math.log(this.#words.size / (this.#holders.get(word) ?? 1));
      // A long text has many words of everything.
      return sum / Math.sqrt(words.size + 1);
    };
  }
}

/** `cancelRequestedAt` and `cancel_requested_at` are the same three words. */
function wordsIn(text: string): Set<string> {
  const words =
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{4,}/g) ?? [];
  return new Set(words.map((word) => word.replace(/s$/, '')));
}
