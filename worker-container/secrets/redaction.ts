import { setImmediate as turn } from 'node:timers/promises';
import { Redactor, SecretMatcher } from './redactor.ts';

/** Bytes that are masked at once. */
const SLICE_BYTES = 256 * 1024;

/** The known secrets of one attempt or one deployment. Everything that leaves it is masked with them. */
export class Redaction {
  readonly #secrets: Set<string>;
  #matcher: SecretMatcher | undefined;

  constructor(secrets: Iterable<string> = []) {
    this.#secrets = new Set(secrets);
  }

  /** Adds secrets. Redactors that exist already do not mask them. */
  add(secrets: Iterable<string>): void {
    const before = this.#secrets.size;
    for (const secret of secrets) this.#secrets.add(secret);
    if (this.#secrets.size > before) this.#matcher = undefined;
  }

  /** A redactor for one stream of bytes. */
  redactor(): Redactor {
    this.#matcher ??= new SecretMatcher(this.#secrets);
    return new Redactor(this.#matcher);
  }

  /** Masks a slice at a time, so that however many bytes a job wrote delay no heartbeat and no signal. */
  async bytes(bytes: Buffer): Promise<Buffer> {
    const redactor = this.redactor();
    const masked: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      if (at > 0) await turn();
      masked.push(redactor.push(bytes.subarray(at, at + SLICE_BYTES)));
    }
    return Buffer.concat([...masked, redactor.flush()]);
  }

  text(text: string): string {
    const redactor = this.redactor();
    const bytes = Buffer.from(text);
    const masked = Buffer.concat([redactor.push(bytes), redactor.flush()]);
    // A text without a secret stays unchanged, even if it is not well-formed.
    return masked.equals(bytes) ? text : masked.toString();
  }

  /** The value with all its strings masked, except under the keys in `except`. Keys stay unchanged. */
  strings<T>(value: T, { except }: { readonly except: ReadonlySet<string> }): T {
    return this.#walk(value, except) as T;
  }

  #walk(value: unknown, except: ReadonlySet<string>): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, except));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, except.has(key) ? item : this.#walk(item, except)]),
    );
  }
}
