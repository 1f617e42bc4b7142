import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const CHECK = resolve('bin/check.ts');
const RESULT = { status: 'passed', message: '', assertionResults: [{ fullName: 'adds', status: 'passed' }] };
const REPORT = { numPassedTests: 1, numFailedTests: 0, testResults: [{ name: 'a.test.ts', ...RESULT }] };
/** Writes vitest's report to the file that the last option names. */
const TEST = `node -e "fs.writeFileSync(process.argv.at(-1).split('=')[1], '${JSON.stringify(REPORT).replaceAll('"', '\\"')}')" --`;
const GREEN = {
  lint: 'true',
  types: 'true',
  'generate:check': 'true',
  synth: 'true',
  prove: 'printf "worlds\\nin all 50000\\n" #',
  bench: 'printf "bytes: 1\\ncpu: 2\\n" #',
  test: TEST,
};

/** Runs a script as npm does, whose start takes longer than most scripts here. */
const QUICK_NPM = `#!/bin/sh
# run --silent SCRIPT -- OPTION…
script=$(cat scripts/$3) && shift 4 && exec sh -c "$script"' "$@"' sh "$@"
`;

let project: string;
/** Where scripts leave what is not to change the project. */
let meeting: string;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'promptq-checked-'));
  meeting = await mkdtemp(join(tmpdir(), 'promptq-meeting-'));
  await writeFile(join(meeting, 'npm'), QUICK_NPM, { mode: 0o755 });
  await scripts({});
  const git = async (...args: string[]) => await run('git', args, { cwd: project });
  await git('init', '-q');
  await git('add', '.');
  await git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-qm', 'first');
});

afterEach(async () => {
  await Promise.all([project, meeting].map(async (folder) => await rm(folder, { recursive: true, force: true })));
});

async function scripts(changed: Partial<typeof GREEN>): Promise<void> {
  const all = { ...GREEN, ...changed };
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'commonjs', scripts: all }));
  await mkdir(join(project, 'scripts'), { recursive: true });
  for (const [name, script] of Object.entries(all)) await writeFile(join(project, 'scripts', name), script);
}

async function check(...names: string[]) {
  return await checkWith({ PATH: [meeting, process.env.PATH].join(delimiter) }, names);
}

async function checkWith(env: NodeJS.ProcessEnv, names: readonly string[] = []) {
  return await run(process.execPath, [CHECK, ...names], { cwd: project, env: { ...process.env, ...env } }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

describe('npm run check', () => {
  test('runs every check by npm and ends with the count of the tests', async () => {
    const { code, stdout } = await checkWith({});
    const lines = stdout
      .replaceAll(/\d+ s$/gm, 'N s')
      .trim()
      .split('\n');
    // Those before the tests, in the order in which they end, then those beside them.
    expect(lines.slice(0, 3).toSorted()).toEqual(['cpu: 2', 'speed: ok, N s', 'synthesis: ok, N s']);
    expect(lines.slice(3, -1).toSorted()).toEqual([
      'generated: ok, N s',
      'in all 50000',
      'lint: ok, N s',
      'simulation: ok, N s',
      'types: ok, N s',
    ]);
    expect(lines.indexOf('cpu: 2')).toBe(lines.indexOf('speed: ok, N s') + 1);
    expect(lines.indexOf('in all 50000')).toBe(lines.indexOf('simulation: ok, N s') + 1);
    expect(lines.at(-1)).toBe('1 passed, 0 failed');
    expect(code).toBe(0);
  });

  test('starts no tests after a failure before them, and prints what the check printed', async () => {
    await scripts({ synth: 'echo "a stack: wrong" && exit 3' });
    const { code, stdout, stderr } = await check('synthesis', 'tests');
    expect(code).toBe(1);
    expect(stderr).toBe('FAILED: synthesis (npm run synth)\na stack: wrong\n');
    expect(stdout).not.toContain('passed');
  });

  test.each([
    ['the tests fail', { test: `${TEST.replace('"numFailedTests":0', '"numFailedTests":1')} && exit 1 #` }],
    ['no test ran', { test: 'true' }],
    ['the tests end with an error after they passed', { test: `f() { ${TEST} "$@"; exit 7; }; f` }],
  ])('fails when %s', async (_, changed) => {
    await scripts(changed);
    const { code, stdout } = await check('tests');
    expect(code).toBe(1);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^\d passed, \d failed$/);
  });

  test.each([
    ['creates a file', 'echo new > new.txt'],
    ['changes a tracked file', 'echo >> package.json'],
  ])('fails when a check %s', async (_, lint) => {
    await scripts({ lint });
    const { code, stdout, stderr } = await check('lint', 'tests');
    expect(code).toBe(1);
    expect(stderr).toContain('FAILED: the checks changed the tree:');
    expect(stdout.trim().split('\n').at(-1)).toBe('1 passed, 0 failed');
  });
});

test('CI installs as the README does and runs npm run check', async () => {
  const script = await readFile('.ci/run', 'utf8');
  expect(script).toMatch(/^if ! npm ci /m);
  expect(script.trim().split('\n').at(-1)).toBe('npm run --silent check');
});
