import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

/** The first thing that failed in a run. */
interface Failure {
  /** None: it is not a test that failed, or the run did not end. */
  readonly file?: string;
  readonly test?: string;
  readonly why: string;
}

const reportSchema = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      /** The test file's absolute path. */
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** A run that takes longer (seconds) counts as endless if it ends without the mutant. */
const ENDLESS = 900;

const NO_END = 'it never ends';

/** Shorter waits (ms) than the tests' own: a timeout that may come from load is checked again. */
const WAITS = ['--testTimeout=60000', '--hookTimeout=60000', '--expect.poll.timeout=10000'];

/** Failures that a busy machine can cause too. */
const MAY_BE_LOAD = /timed? ?out|never ends|did not come within|did not succeed in time|ECONN|before it was ready/i;

/**
 * The tests in a copy of the repository. A mutant counts as seen only by a test that passes without any; and if it may
 * have failed for a busy machine, only when it passes without the mutant right after, and fails with it once more.
 */
export class MutantTests {
  readonly #root: string;
  readonly #folder: string;
  /** Tests, with their files, that were seen to pass without a mutant. */
  readonly #sound = new Set<string>();
  /** Test files that fail without a mutant, so that they show nothing. */
  readonly unsound = new Set<string>();

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /**
   * Runs test files together until the first fails.
   * @param set puts the mutant into the copy, or takes it out.
   * @returns what failed because of the mutant; undefined: nothing did.
   */
  async see(files: readonly string[], set: (isMutated: boolean) => Promise<void>): Promise<string | undefined> {
    for (let round = 0; round < 4; round += 1) {
      const sound = files.filter((file) => !this.unsound.has(file));
      if (sound.length === 0) return undefined;
      await set(true);
      const failed = await this.#run(sound);
      if (failed === undefined) return undefined;
      const mayBeLoad = MAY_BE_LOAD.test(failed.why);
      const witness = `${failed.file} ${failed.test}`;
      if (!mayBeLoad && this.#sound.has(witness)) return lineOf(failed);
      const suspects = failed.file === undefined ? sound : [failed.file];
      await set(false);
      if ((await this.#run(suspects, failed.test)) !== undefined) {
        for (const file of suspects) this.unsound.add(file);
        continue;
      }
      this.#sound.add(witness);
      if (!mayBeLoad || failed.why === NO_END) return lineOf(failed);
      await set(true);
      const again = await this.#run(suspects, failed.test);
      if (again !== undefined) return lineOf(again);
    }
    return undefined;
  }

  /** @param test its name, if only that one is to run. */
  async #run(files: readonly string[], test?: string): Promise<Failure | undefined> {
    const report = join(this.#folder, 'report.json');
    await rm(report, { force: true });
    const only = test === undefined ? [] : ['-t', `^${test.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`];
    const args = ['run', '--bail=1', ...WAITS, '--reporter=json', `--outputFile=${report}`, ...only, ...files];
    const child = spawn(process.execPath, [join(this.#root, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    // Its workers and emulators too.
    const kill = () => process.kill(-(child.pid ?? 0), 'SIGKILL');
    process.once('exit', kill);
    let isEndless = false;
    const late = setTimeout(() => {
      isEndless = true;
      kill();
    }, 1000 * ENDLESS);
    const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    clearTimeout(late);
    process.off('exit', kill);
    if (isEndless) return { why: NO_END };
    const failed = firstFailure(await readFile(report, 'utf8').catch(() => undefined), this.#folder);
    if (failed !== undefined || child.exitCode === 0) return failed;
    return { why: /^\w*Error.*$/m.exec(errors)?.[0] ?? 'an error outside of the tests' };
  }
}

function firstFailure(report: string | undefined, folder: string): Failure | undefined {
  if (report === undefined) return undefined;
  const { testResults } = reportSchema.parse(JSON.parse(report));
  for (const { name, assertionResults } of testResults)
    for (const { ancestorTitles, title, status, failureMessages } of assertionResults)
      if (status === 'failed')
        return {
          file: relative(folder, name),
          test: [...ancestorTitles, title].join(' > '),
          why: messageOf(failureMessages?.[0] ?? ''),
        };
  const broken = testResults.find(({ status, message }) => status === 'failed' && message !== '');
  return broken && { file: relative(folder, broken.name), why: messageOf(broken.message) };
}

function messageOf(failure: string): string {
  return failure.split(/\n\s+at /)[0] ?? '';
}

function lineOf({ file, test, why }: Failure): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: assertions colour their messages.
  const line = why.replaceAll(/\u001b\[[\d;]*m/g, '').split('\n')[0] ?? '';
  return [file, test, line.slice(0, 140)].filter((part) => part !== undefined).join(' › ');
}
