import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

let project: string;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'promptq-checked-'));
  await scripts({});
  const git = async (...args: string[]) => await run('git', args, { cwd: project });
  await git('init', '-q');
  await git('add', '.');
  await git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-qm', 'first');
});

afterEach(async () => {
  await rm(project, { recursive: true, force: true });
});

async function scripts(changed: Partial<typeof GREEN>): Promise<void> {
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ type: 'commonjs', scripts: { ...GREEN, ...changed } }),
  );
}

async function check(...names: string[]) {
  return await run(process.execPath, [CHECK, ...names], { cwd: project }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

describe('npm run check', () => {
  test('runs every check and ends with the count of the tests', async () => {
    const { code, stdout } = await check();
    expect(
      stdout
        .replaceAll(/\d+ s$/gm, 'N s')
        .trim()
        .split('\n'),
    ).toEqual([
      'lint: ok, N s',
      'types: ok, N s',
      'generated: ok, N s',
      'synthesis: ok, N s',
      'simulation: ok, N s',
      'in all 50000',
      'speed: ok, N s',
      'cpu: 2',
      '1 passed, 0 failed',
    ]);
    expect(code).toBe(0);
  });

  test('runs only the checks that are named', async () => {
    expect(await check('types')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^types: ok, \d+ s\n$/) });
  });

  test('names the checks when one is unknown', async () => {
    const { code, stderr } = await check('typs');
    expect(code).toBe(2);
    expect(stderr).toContain('checks: lint, types, generated, synthesis, simulation, speed, tests; there is no typs');
  });

  test('stops at the first failure and prints what the check printed', async () => {
    await scripts({ types: 'echo "a.ts: wrong" && exit 3' });
    const { code, stdout, stderr } = await check();
    expect(code).toBe(1);
    expect(stderr).toBe('FAILED: types (npm run types)\na.ts: wrong\n');
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
