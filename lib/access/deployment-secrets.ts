/** The secrets that a deployment shares with others. None is needed for the API itself. */
export const SECRET_NAMES = ['perimeter-tokens', 'telegram-bot-token'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/** Brings a secret's text as it is now; undefined: there is none. */
export type SecretSource = (name: SecretName) => Promise<string | undefined>;

/** How long a secret is used without looking again, in milliseconds: a new one counts, and an old one ends, within this. */
const KEPT = 30_000;

/** The deployment's secrets, read when they are first needed and kept in this process's memory alone. */
export class DeploymentSecrets {
  readonly #source: SecretSource;
  readonly #now: () => number;
  readonly #known = new Map<SecretName, { readonly lines: Promise<readonly string[]>; readonly readAt: number }>();

  /** @param now milliseconds that never jump. */
  constructor(source: SecretSource, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
  }

  /**
   * The lines of a secret; none if it isn't set.
   * @throws whatever the source throws: a secret that can't be read is no reason to go on with an old one.
   */
  async lines(name: SecretName): Promise<readonly string[]> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#now() - known.readAt < KEPT) return await known.lines;
    const lines = this.#source(name).then(linesOf);
    this.#known.set(name, { lines, readAt: this.#now() });
    // Those who already wait get the failure; the next one tries again.
    lines.catch(() => this.#known.delete(name));
    return await lines;
  }
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(/\s+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
