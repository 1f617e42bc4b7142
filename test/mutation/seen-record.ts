import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Mutant } from './mutant.ts';
import { digestOf, type Verdict } from './mutant-log.ts';

/** The mutants of one file that were seen, by digests of their names. */
const recordSchema = z.object({
  file: z.string(),
  /** Of the file without a mutant: the record holds while it reads the same. */
  source: z.string(),
  simulator: z.array(z.string()),
  test: z.array(z.string()),
});
type FileRecord = z.output<typeof recordSchema>;

/** Who sees a mutant that is recorded. */
type Seer = Extract<Verdict['by'], keyof FileRecord>;

/** Enough to tell the mutants of one file apart. */
const NAME_DIGITS = 8;

/** Which mutants were seen, kept in the repository as a line of JSON for each file, so that a run tries only the others. */
export class SeenRecord {
  readonly #root: string;
  readonly #path: string;
  readonly #files = new Map<string, FileRecord>();

  /** @param path of the record in the repository at `root` */
  constructor(root: string, path = 'test/mutation/seen-mutants.jsonl') {
    this.#root = root;
    this.#path = join(root, path);
    const lines = existsSync(this.#path) ? readFileSync(this.#path, 'utf8').split('\n').filter(Boolean) : [];
    for (const line of lines) {
      const record = recordSchema.parse(JSON.parse(line));
      if (this.#digestNow(record.file) === record.source) this.#files.set(record.file, record);
    }
  }

  /** @returns undefined: it was not seen while its file read as it does now */
  seenBy({ name, file }: Pick<Mutant, 'name' | 'file'>): Seer | undefined {
    const { simulator = [], test = [] } = this.#files.get(file) ?? {};
    const digest = digestOfName(name);
    if (simulator.includes(digest)) return 'simulator';
    return test.includes(digest) ? 'test' : undefined;
  }

  /** Adds verdicts about files as they are now, and writes the record without those that have changed. */
  add(verdicts: readonly { readonly mutant: Mutant; readonly by: Verdict['by'] | undefined }[]): void {
    for (const { mutant, by } of verdicts) {
      if ((by !== 'simulator' && by !== 'test') || this.seenBy(mutant) !== undefined) continue;
      const { file, name } = mutant;
      const record = this.#files.get(file) ?? { file, source: this.#digestNow(file) ?? '', simulator: [], test: [] };
      this.#files.set(file, { ...record, [by]: [...record[by], digestOfName(name)].toSorted() });
    }
    const records = [...this.#files.values()].toSorted((a, b) => a.file.localeCompare(b.file));
    writeFileSync(this.#path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  }

  #digestNow(file: string): string | undefined {
    const path = join(this.#root, file);
    return existsSync(path) ? digestOf(readFileSync(path, 'utf8')) : undefined;
  }
}

function digestOfName(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, NAME_DIGITS);
}
