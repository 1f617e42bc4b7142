import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

/** What one run of a test file showed. */
interface Run {
  readonly seconds: number;
  /** The first thing that failed. */
  readonly failed?: { readonly test: string | undefined; readonly why: string };
}

const reportSchema = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
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

/** A run counts as endless after so many times what it takes without a mutant, and after this at least (seconds). */
const ENDLESS = { times: 6, least: 90 };

/** Shorter waits (ms) than the tests have by themselves: what a mutant keeps from coming is looked for again if it may be load. */
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
  /** How long each test file takes without a mutant, seconds. */
  readonly #seconds = new Map<string, number>();

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Test files with what each takes without any mutant, the quickest first. @throws Error if one fails without. */
  async inOrder(files: readonly string[]): Promise<{ file: string; seconds: number }[]> {
    const all: { file: string; seconds: number }[] = [];
    for (const file of files) {
      const seconds = this.#seconds.get(file) ?? (await this.#withoutMutant(file));
      this.#seconds.set(file, seconds);
      all.push({ file, seconds });
    }
    return all.toSorted((a, b) => a.seconds - b.seconds);
  }

  /**
   * @param set puts the mutant into the copy, or takes it out.
   * @returns what failed because of the mutant; undefined: nothing did.
   */
  async see(file: string, set: (isMutated: boolean) => Promise<void>): Promise<string | undefined> {
    for (let round = 0; round < 3; round += 1) {
      await set(true);
      const { failed } = await this.#run(file);
      if (failed === undefined) return undefined;
      if (!MAY_BE_LOAD.test(failed.why)) return told(file, failed);
      await set(false);
      if ((await this.#run(file, failed.test)).failed !== undefined) continue;
      await set(true);
      const again = await this.#run(file, failed.test);
      if (again.failed !== undefined) return told(file, again.failed);
    }
    return undefined;
  }

  async #withoutMutant(file: string): Promise<number> {
    for (let left = 2; ; left -= 1) {
      const { failed, seconds } = await this.#run(file);
      if (failed === undefined) return seconds;
      if (left === 0) throw new Error(`${told(file, failed)}: without any mutant`);
    }
  }

  /** @param test its name, if only that one is to run. */
  async #run(file: string, test?: string): Promise<Run> {
    const report = join(this.#folder, 'report.json');
    await rm(report, { force: true });
    const only = test === undefined ? [] : ['-t', `^${test.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`];
    const args = ['run', '--bail=1', ...WAITS, '--reporter=json', `--outputFile=${report}`, ...only, file];
    const beganAt = performance.now();
    const child = spawn(process.execPath, [join(this.#root, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let isEndless = false;
    const usual = this.#seconds.get(file) ?? ENDLESS.least;
    const late = setTimeout(
      () => {
        isEndless = true;
        // Its workers and emulators too.
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      },
      1000 * Math.max(ENDLESS.least, ENDLESS.times * usual),
    );
    const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    clearTimeout(late);
    const seconds = (performance.now() - beganAt) / 1000;
    if (isEndless) return { seconds, failed: { test, why: 'it never ends' } };
    const failed = firstFailure(await readFile(report, 'utf8').catch(() => undefined));
    if (failed !== undefined) return { seconds, failed };
    return child.exitCode === 0
      ? { seconds }
      : { seconds, failed: { test, why: /^\w*Error.*$/m.exec(errors)?.[0] ?? 'an error outside of the tests' } };
  }
}

function firstFailure(report: string | undefined): Run['failed'] {
  if (report === undefined) return undefined;
  const { testResults } = reportSchema.parse(JSON.parse(report));
  for (const { assertionResults } of testResults)
    for (const { ancestorTitles, title, status, failureMessages } of assertionResults)
      if (status === 'failed')
        return { test: [...ancestorTitles, title].join(' > '), why: messageOf(failureMessages?.[0] ?? '') };
  const broken = testResults.find(({ status, message }) => status === 'failed' && message !== '');
  return broken && { test: undefined, why: messageOf(broken.message) };
}

/** Without the stack, which speaks of timeouts whatever happened. */
function messageOf(failure: string): string {
  return failure.split(/\n\s+at /)[0] ?? '';
}

function told(file: string, { test, why }: NonNullable<Run['failed']>): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: assertions colour their messages.
  const line = why.replaceAll(/\u001b\[[\d;]*m/g, '').split('\n')[0] ?? '';
  return `${file}${test === undefined ? '' : ` › ${test}`}: ${line.slice(0, 140)}`;
}
