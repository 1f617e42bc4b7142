import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const verdictSchema = z.object({
  /** The mutant's name. */
  mutant: z.string(),
  file: z.string(),
  /** Of the file without the mutant, so that a changed file is checked again. */
  source: z.string(),
  by: z.enum(['simulator', 'test', 'compiler', 'generated', 'nobody']),
  /** The invariant that broke, or the test that failed. */
  seen: z.string().optional(),
  /** The effort until it was found. */
  seconds: z.number(),
});
/** The result of one mutant. */
export type Verdict = z.output<typeof verdictSchema>;

/** Verdicts as lines of JSON in a file, so that an interrupted run continues where it stopped. */
export class MutantLog {
  readonly #path: string | undefined;
  readonly #verdicts = new Map<string, Verdict>();

  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined || !existsSync(path)) return;
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const verdict = verdictSchema.parse(JSON.parse(line));
      this.#verdicts.set(verdict.mutant, verdict);
    }
  }

  /** The last verdict about a mutant in a file that still reads the same. */
  verdictOf({ name }: { readonly name: string }, source: string): Verdict | undefined {
    const verdict = this.#verdicts.get(name);
    return verdict?.source === digestOf(source) ? verdict : undefined;
  }

  note(verdict: Omit<Verdict, 'source'>, source: string): void {
    const noted = { ...verdict, source: digestOf(source) };
    this.#verdicts.set(verdict.mutant, noted);
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(noted)}\n`);
  }
}

/** Of a source, to tell whether it has changed. */
export function digestOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 16);
}
