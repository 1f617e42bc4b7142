import { createHash } from 'node:crypto';

/** The limits of `drill: limit-after` that prompts have met, in memory. A prompt meets its limit once, then passes it. */
export class MetLimits {
  readonly #until = new Map<string, Date>();

  /** A prompt comes to its limit. @returns when the limit ends, or undefined: it is over */
  meet(prompt: string, seconds: number): Date | undefined {
    const key = createHash('sha256').update(prompt).digest('base64url');
    const until = this.#until.get(key) ?? new Date(Date.now() + seconds * 1_000);
    if (until.getTime() > Date.now()) {
      this.#until.set(key, until);
      return until;
    }
    this.#until.delete(key);
    return undefined;
  }
}
