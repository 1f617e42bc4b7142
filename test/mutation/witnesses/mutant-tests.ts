import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure } from './test-lane.ts';
import { NO_END, TestProcess } from './test-process.ts';

/** A source of the copy, as it is and with one mutant. */
export interface BrokenSource {
  /** Its path in the repository. */
  readonly file: string;
  readonly source: string;
  readonly broken: string;
}

/** Tests that run together. */
export interface Witnesses {
  readonly files: readonly string[];
  /** Whether they start no service. */
  readonly isQuick: boolean;
}

/** Failures that a busy machine can cause too. */
const MAY_BE_LOAD = /timed? ?out|never ends|did not come within|did not succeed in time|ECONN|before it was ready/i;

/**
 * The tests in a copy of the repository. A mutant counts as seen only by a test that passes without any; and if it may
 * have failed for a busy machine, only when it passes without the mutant right after, and fails with it once more.
 */
export class MutantTests {
  readonly #folder: string;
  readonly #process: TestProcess;
  /** Absolute paths of sources that were written since the last run. */
  readonly #changed = new Set<string>();
  /** Tests, with their files, that were seen to pass without a mutant. */
  readonly #sound = new Set<string>();
  /** Test files that fail without a mutant, so that they show nothing. */
  readonly unsound = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#process = new TestProcess(folder);
  }

  /**
   * Runs test files together until the first fails.
   * The copy may keep the mutant.
   * @returns what failed because of the mutant; undefined: nothing did.
   */
  async see({ files, isQuick }: Witnesses, { file, source, broken }: BrokenSource): Promise<string | undefined> {
    for (let round = 0; round < 4; round += 1) {
      const sound = files.filter((test) => !this.unsound.has(test));
      if (sound.length === 0) return undefined;
      await this.write(file, broken);
      const failed = await this.#run({ files: sound, isQuick });
      if (failed === undefined) return undefined;
      const mayBeLoad = MAY_BE_LOAD.test(failed.why);
      const witness = `${failed.file} ${failed.test}`;
      if (!mayBeLoad && this.#sound.has(witness)) return lineOf(failed);
      const suspects = failed.file === undefined ? sound : [failed.file];
      await this.write(file, source);
      // A test may need what those before it in its file did.
      const failsAlone = (await this.#run({ files: suspects, isQuick }, failed.test)) !== undefined;
      if (failsAlone && (failed.test === undefined || (await this.#run({ files: suspects, isQuick })) !== undefined)) {
        for (const test of suspects) this.unsound.add(test);
        continue;
      }
      this.#sound.add(witness);
      if (!mayBeLoad || failed.why === NO_END) return lineOf(failed);
      await this.write(file, broken);
      const again = await this.#run({ files: suspects, isQuick }, failsAlone ? undefined : failed.test);
      if (again !== undefined) return lineOf(again);
    }
    return undefined;
  }

  /** Writes a source of the copy, for the next run too. */
  async write(file: string, text: string): Promise<void> {
    const path = join(this.#folder, file);
    await writeFile(path, text);
    this.#changed.add(path);
  }

  /** Ends the process that the tests run in. */
  end(): void {
    this.#process.end();
  }

  /** @param test its name, if only that one is to run. */
  async #run(witnesses: Witnesses, test?: string): Promise<Failure | undefined> {
    const changed = [...this.#changed];
    this.#changed.clear();
    const failed = await this.#process.run({ ...witnesses, test, changed });
    return failed && { ...failed, why: messageOf(failed.why) };
  }
}

function messageOf(failure: string): string {
  return failure.split(/\n\s+at /)[0] ?? '';
}

function lineOf({ file, test, why }: Failure): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: assertions colour their messages.
  const line = why.replaceAll(/\u001b\[[\d;]*m/g, '').split('\n')[0] ?? '';
  return [file, test, line.slice(0, 140)].filter((part) => part !== undefined).join(' › ');
}
