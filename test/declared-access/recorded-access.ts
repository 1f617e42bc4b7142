import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undeclaredAccess } from './access-differences.ts';

/** What the functions of a local run access, written down by the run itself. */
export class RecordedAccess {
  readonly #file = join(tmpdir(), `promptq-access-${randomUUID()}`);

  /** The arguments of Node that let a process write it down. */
  readonly nodeArguments = ['--import', `${new URL('record-calls.ts', import.meta.url).href}?to=${this.#file}`];

  /** Lines `function access`, so far. */
  lines(): string[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').filter(Boolean) : [];
  }

  /** `check`, and forgets all. */
  finish(): void {
    try {
      this.check();
    } finally {
      rmSync(this.#file, { force: true });
    }
  }

  /** @throws Error if a function has accessed what its line of the routing table does not declare */
  check(): void {
    const undeclared = undeclaredAccess(this.lines());
    if (undeclared.length > 0)
      throw new Error(`access that the routing table does not declare: ${undeclared.join('; ')}`);
  }
}
