import { relative } from 'node:path';
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node';

/** What one run shows; `mutant-tests.ts` sends it to this separate process. */
export interface TestRun {
  /** Test files, relative to the current folder; they run until the first fails. */
  readonly files: readonly string[];
  /** A test's full name, if only that one is to run. */
  readonly test?: string | undefined;
  /** Absolute paths of sources that read differently since the last run. */
  readonly changed: readonly string[];
  /** Whether the tests start no service, so that a test that takes long never ends. */
  readonly isQuick: boolean;
}

/** The first thing that failed in a run. */
export interface Failure {
  /** None: it is not a test that failed, or the run did not end. */
  readonly file?: string;
  readonly test?: string;
  readonly why: string;
}

/** Shorter waits (ms) than the tests' own: a timeout that may come from load is checked again. */
const WAITS = { hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } } };
const TEST_TIMEOUT = { quick: 10_000, slow: 30_000 } as const;

/**
 * Transformed modules stay in this process, so that a run costs little more than its tests. One worker loads what they
 * share once, and begins with no further file after the first failure.
 */
const vitest = await createVitest({ watch: false, bail: 1, reporters: [{}], maxWorkers: 1, ...WAITS });
// The projects of vitest.config.ts take the other options over, but not this one.
for (const { config } of vitest.projects) config.expect = { ...config.expect, ...WAITS.expect };

process.on('message', (run: TestRun) => void answer(run));
// The caller has exited.
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function answer({ files, test, changed, isQuick }: TestRun): Promise<void> {
  for (const { config } of vitest.projects) config.testTimeout = TEST_TIMEOUT[isQuick ? 'quick' : 'slow'];
  for (const path of changed) vitest.invalidateFile(path);
  if (test === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(new RegExp(`^${test.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`));
  const found = await vitest.globTestSpecifications([...files]);
  const wanted = found.filter(({ moduleId }) => files.includes(relative(process.cwd(), moduleId)));
  // The answer also contains the modules of earlier runs.
  const ran = ({ moduleId }: TestModule) => wanted.some((specification) => specification.moduleId === moduleId);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(inOrder(wanted, files));
  const failed = firstFailure(testModules.filter(ran)) ?? outsideOf(unhandledErrors);
  process.send?.({ failed });
}

function inOrder(specifications: readonly TestSpecification[], files: readonly string[]): TestSpecification[] {
  const place = ({ moduleId }: TestSpecification) => files.indexOf(relative(process.cwd(), moduleId));
  return specifications.toSorted((a, b) => place(a) - place(b));
}

function firstFailure(modules: readonly TestModule[]): Failure | undefined {
  for (const module of modules) {
    const file = relative(process.cwd(), module.moduleId);
    for (const test of module.children.allTests('failed'))
      return { file, test: test.fullName, why: test.result().errors?.[0]?.message ?? '' };
    const [error] = module.errors();
    if (error !== undefined) return { file, why: error.message };
  }
  return undefined;
}

function outsideOf(errors: readonly unknown[]): Failure | undefined {
  if (errors.length === 0) return undefined;
  const [error] = errors;
  return { why: error instanceof Error ? error.message : 'an error outside of the tests' };
}
