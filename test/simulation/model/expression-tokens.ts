const TOKEN = /\s*(<=|>=|<>|[=<>(),.+-]|[#:]?[A-Za-z_][A-Za-z0-9_]*)/y;

/** Reads an expression of DynamoDB's language token by token. */
export class ExpressionTokens {
  readonly #text: string;
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const token = TOKEN.exec(text)?.[1];
      if (token === undefined) throw this.notUnderstood();
      this.#tokens.push(token);
    }
  }

  /** Whether the next token is this word, whatever its case. */
  sees(word: string, ahead = 0): boolean {
    return this.#tokens[this.#at + ahead]?.toUpperCase() === word.toUpperCase();
  }

  take(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw this.notUnderstood();
    this.#at += 1;
    return token;
  }

  /** Takes the token if it is this word. */
  takes(word: string): boolean {
    if (!this.sees(word)) return false;
    this.#at += 1;
    return true;
  }

  expect(word: string): void {
    if (!this.takes(word)) throw this.notUnderstood();
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  notUnderstood(): Error {
    const before = this.#tokens.slice(0, this.#at).join(' ');
    return new Error(`the model does not understand ${JSON.stringify(this.#text)} after "${before}"`);
  }
}
