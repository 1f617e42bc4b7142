import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Tests that take longer (ms) have noticed the break: something waits forever. */
const TESTS_MS = 420_000;

/** A copy of the commit for breaking it, removed when the process ends. */
export const COPY = mkdtempSync(join(tmpdir(), 'promptq-breaks-'));

/** Makes the copy. It has the packages of the working tree. */
export function makeCopy(): void {
  process.on('exit', () => {
    spawnSync('git', ['worktree', 'remove', '--force', COPY], { cwd: ROOT });
    rmSync(COPY, { recursive: true, force: true });
  });
  spawnSync('git', ['worktree', 'add', '--detach', '--force', COPY, 'HEAD'], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
}

/** Runs a command in the copy. */
export function run(command: string, args: readonly string[]) {
  const env = { ...process.env, PATH: `${join(COPY, 'node_modules/.bin')}:${process.env.PATH}`, CI: '1' };
  return spawnSync(command, args, { cwd: COPY, env, encoding: 'utf8', timeout: TESTS_MS, maxBuffer: 1 << 28 });
}

/** The test files of the copy that fail, each with the test in it that failed first; `timeout` if they don't end. */
export function failingTests(files: readonly string[]): ReadonlyMap<string, string> | 'timeout' {
  const report = join(COPY, 'node_modules.breaks.json');
  rmSync(report, { force: true });
  run('npx', ['vitest', 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...files]);
  if (!existsSync(report)) return 'timeout';
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
  };
  const failed = testResults.filter(({ status }) => status === 'failed');
  const firstOf = (tests: (typeof failed)[number]['assertionResults']) =>
    tests.find(({ status }) => status === 'failed')?.fullName ?? 'the file itself';
  return new Map(failed.map(({ name, assertionResults }) => [relative(COPY, name), firstOf(assertionResults)]));
}

/** As in a commit's check. */
export function passesSimulator(): boolean {
  const options = ['--lives', '2000', '--seconds', '3600', '--seed', '20261121'];
  return run('node', ['test/simulation/simulate.ts', ...options]).status === 0;
}
