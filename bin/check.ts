import { spawnSync } from 'node:child_process';
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

/** Everything that CI checks, cheapest first; the tests follow. */
const STEPS: Readonly<Record<string, Step>> = {
  lint: { script: 'lint' },
  types: { script: 'types' },
  generated: { script: 'generate:check' },
  synthesis: { script: 'synth' },
  // The same worlds each time, so that a commit is judged by its own changes; the nightly run uses other seeds.
  // At least 50,000 lives with every kind of fault in them.
  simulation: {
    script: 'prove',
    options: ['simulate', '--lives', '50000', '--seconds', '900', '--seed', '20261121'],
    shows: '\nin all',
  },
  // Counts, sizes and ratios of CPU time, which a loaded machine changes little. What can't be started is left out.
  speed: { script: 'bench', options: ['--quick'], shows: 'cpu: ' },
};
const TESTS = 'tests';
const NAMES = [...Object.keys(STEPS), TESTS];
/** Lines shown of a failed step. */
const SHOWN_LINES = 100;

/**
 * `npm run check [-- NAME…]`: runs all checks, or those named, and stops at the first that fails. Prints failures first and
 * ends with "N passed, N failed". Exits with 1 if anything failed, no test passed, or a check changed the tree.
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
for (const [name, step] of Object.entries(STEPS)) if (isWanted(name)) check(name, step);
const isTested = isWanted(TESTS);
const results = join(folder, 'results.json');
const tests = isTested
  ? run('test', ['--reporter=dot', '--reporter=json', `--outputFile.json=${results}`])
  : { status: 0, file: '' };
const after = tree();
if (after !== before) {
  console.error(`FAILED: the checks changed the tree:\n${after}`);
  process.exitCode = 1;
}
if (isTested) {
  const report = join(import.meta.dirname, '../test/report.ts');
  const { status } = spawnSync(process.execPath, [report, results, tests.file, String(tests.status)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}

function check(name: string, { script, options = [], shows }: Step): void {
  const began = performance.now();
  const { status, file } = run(script, options);
  const text = readFileSync(file, 'utf8');
  if (status !== 0) {
    console.error(`FAILED: ${name} (npm run ${script})\n${text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}`);
    process.exit(1);
  }
  console.log(`${name}: ok, ${Math.round((performance.now() - began) / 1000)} s`);
  if (shows !== undefined && text.includes(shows)) console.log(text.slice(text.indexOf(shows)).trim());
}

/** @returns the exit status, and the file that holds everything the script printed */
function run(script: string, options: readonly string[]): { status: number; file: string } {
  const file = join(folder, script);
  const output = openSync(file, 'w');
  const { status, error } = spawnSync('npm', ['run', '--silent', script, '--', ...options], {
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  if (error !== undefined) throw error;
  return { status: status ?? 1, file };
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
