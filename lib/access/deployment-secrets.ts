import { readPlace } from '../platform/aws/read-place.ts';

/** The secrets that a deployment shares with other systems. The API itself needs none of them. */
export const SECRET_NAMES = ['perimeter-tokens', 'telegram-bot-token'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/** Reads a secret's current text; undefined: it isn't set. */
type SecretSource = (name: SecretName) => Promise<string | undefined>;

/** Milliseconds that a secret is cached: a new value takes effect, and an old one ends, within this time. */
const CACHE_MS = 30_000;

/** The deployment's secrets, read on first use and cached in this process's memory only. */
export class DeploymentSecrets {
  readonly #source: SecretSource;
  readonly #now: () => number;
  readonly #known = new Map<SecretName, { readonly lines: Promise<readonly string[]>; readonly readAt: number }>();

  /** @param now monotonic milliseconds. */
  constructor(source: SecretSource, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
  }

  /**
   * The lines of a secret; empty if it isn't set.
   * @throws any error of the source: an unreadable secret must not extend the life of the cached one
   */
  async lines(name: SecretName): Promise<readonly string[]> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#now() - known.readAt < CACHE_MS) return await known.lines;
    const lines = this.#source(name).then(linesOf);
    this.#known.set(name, { lines, readAt: this.#now() });
    // Concurrent callers share the failure; the next call retries.
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

/**
 * Reads secrets from where the environment says: `ssm:/folder/of/parameters` (SecureStrings in SSM's Parameter Store)
 * or `file:/folder`; undefined: there are no secrets.
 */
export function secretSource(folder: string | undefined): SecretSource {
  if (folder === undefined) return async () => undefined;
  return async (name) => await readPlace(`${folder}/${name}`);
}
