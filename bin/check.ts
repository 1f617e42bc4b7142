import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One check: an npm script of the project in the current folder. */
interface Step {
  readonly script: string;
  readonly options?: readonly string[];
  /** Begins the part of the output that is shown of a success too. */
  readonly shows?: string;
}

/** Checked before the tests, two at a time. */
const BEFORE_TESTS: Readonly<Record<string, Step>> = {
  synthesis: { script: 'synth' },
  // Counts, sizes and ratios of CPU time, which a loaded machine changes little. What can't be started is left out.
  speed: { script: 'bench', options: ['--quick'], shows: 'cpu: ' },
};
const LANES = 2;
/** Checked while the tests run, two at a time at the lowest priority: in the time in which the tests wait. */
const BESIDE_TESTS: Readonly<Record<string, Step>> = {
  // The same worlds each time, so that a commit is judged by its own changes; the nightly run uses other seeds.
  simulation: {
    script: 'prove',
    options: ['simulate', '--lives', '2000', '--seconds', '3600', '--seed', '20261121'],
    shows: '\nin all',
  },
  types: { script: 'types' },
  lint: { script: 'lint' },
  generated: { script: 'generate:check' },
};
const TESTS = 'tests';
const NAMES = [...Object.keys(BEFORE_TESTS), ...Object.keys(BESIDE_TESTS), TESTS];
/** Lines shown of a failed step. */
const SHOWN_LINES = 100;

/**
 * `npm run check [-- NAME…]`: runs all checks, or those named. When one fails that the tests come after, no further one
 * starts. Prints failures first and ends with "N passed, N failed". Exits with 1 if anything failed, no test passed, or a
 * check changed the tree.
 */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) {
  console.error(`Usage: npm run check [-- NAME…]\n\nchecks: ${NAMES.join(', ')}; there is no ${unknown.join(', ')}`);
  process.exit(wanted.includes('--help') ? 0 : 2);
}
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const folder = mkdtempSync(join(tmpdir(), 'promptq-check-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const before = tree();
const failedEarly = await inLanes(BEFORE_TESTS);
if (failedEarly.length > 0) process.exit(1);
const isTested = isWanted(TESTS);
const results = join(folder, 'results.json');
const [failedBeside, tests] = await Promise.all([
  inLanes(BESIDE_TESTS, { isLow: true }),
  isTested
    ? run('test', ['--reporter=dot', '--reporter=json', `--outputFile.json=${results}`])
    : { status: 0, file: '' },
]);
if (failedBeside.length > 0) process.exitCode = 1;
const after = tree();
if (after !== before) {
  console.error(`FAILED: the checks changed the tree:\n${after}`);
  process.exitCode = 1;
}
if (isTested) {
  const report = join(import.meta.dirname, '../test/vitest/report.ts');
  const args = [report, results, tests.file, String(tests.status), ...failedBeside];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

/**
 * Runs the wanted ones of some steps, so many at a time.
 * @returns the names of those that failed; the first failure keeps further ones from starting
 */
async function inLanes(steps: Readonly<Record<string, Step>>, priority: Priority = {}): Promise<string[]> {
  const waiting = Object.entries(steps).filter(([name]) => isWanted(name));
  const failed: string[] = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined && failed.length === 0; next = waiting.shift())
      if (!(await check(...next, priority))) failed.push(next[0]);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return failed;
}

interface Priority {
  /** Leaves the processors to everything else. */
  readonly isLow?: boolean;
}

async function check(name: string, { script, options = [], shows }: Step, priority: Priority): Promise<boolean> {
  const began = performance.now();
  const { status, file } = await run(script, options, priority);
  const text = readFileSync(file, 'utf8');
  if (status !== 0) {
    console.error(`FAILED: ${name} (npm run ${script})\n${text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}`);
    return false;
  }
  const shown = shows !== undefined && text.includes(shows) ? `\n${text.slice(text.indexOf(shows)).trim()}` : '';
  console.log(`${name}: ok, ${Math.round((performance.now() - began) / 1000)} s${shown}`);
  return true;
}

/** @returns the exit status, and the file that holds everything the script printed */
async function run(
  script: string,
  options: readonly string[],
  { isLow = false }: Priority = {},
): Promise<{ status: number; file: string }> {
  const file = join(folder, script);
  const output = openSync(file, 'w');
  const npm = ['npm', 'run', '--silent', script, '--', ...options];
  const [program = '', ...args] = isLow ? ['nice', '-n', '19', ...npm] : npm;
  // The compiler and the linter are written in Go; on one core they take a third less processor time.
  const env = { ...process.env, ...(isLow && { GOMAXPROCS: '1' }) };
  const child = spawn(program, args, { env, stdio: ['ignore', output, output] });
  closeSync(output);
  const [code] = (await once(child, 'close')) as [number | null];
  return { status: code ?? 1, file };
}

/** What differs from the commit: names of changed and new files, and the changes of tracked ones. */
function tree(): string {
  const git = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, {
      encoding: 'utf8',
      maxBuffer: Number.POSITIVE_INFINITY,
    });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  return git('status', '--porcelain') + git('diff', 'HEAD');
}
