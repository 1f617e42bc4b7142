import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../local-run/local-service.ts';
import { emptyHome, PROGRAM, startPromptq, startTerminal } from './promptq-command.ts';

/** docs/guide/command-line.md, "Work in your checkout": a user with a repository and `promptq dev`. */
const home = emptyHome();
const env = {
  HOME: home,
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: '',
  XDG_DATA_HOME: '',
  PROMPTQ_HOME: undefined,
  // Below no folder that is open anyway.
  TMPDIR: join(home, 'tmp'),
};
const allowed = join(home, 'allowed');
const grants = join(home, '.local/state/promptq/folders.json');
let service: ChildProcess;
let checkout: string;
let repositories = 0;

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: checkout, encoding: 'utf8', env: { ...process.env, ...env } });
const shell = async (...args: string[]) =>
  await startPromptq(['run', '--profile', 'shell', ...args], { env, cwd: checkout }).ended;
const jobId = (stderr: string) => /^job (job_\w+)/m.exec(stderr)?.[1] ?? '';

beforeAll(async () => {
  await mkdir(join(home, 'tmp'));
  await mkdir(allowed);
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Me\n\temail = me@example.com\n');
  await mkdir(join(home, 'start'));
  service = spawn(process.execPath, [PROGRAM, 'dev', '--port', '0', '--allow', allowed], {
    cwd: join(home, 'start'),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  service.stdout?.on('data', (chunk) => (printed += chunk));
  await waitFor(() => printed.includes('run "Say hello" --follow'));
});

afterAll(async () => {
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
});

/** A repository with a commit and changes that are not committed. */
beforeEach(async () => {
  repositories += 1;
  checkout = join(await realpath(home), 'src', `My App ${repositories}`);
  await mkdir(checkout, { recursive: true });
  git('init', '-q', '-b', 'main');
  await writeFile(join(checkout, 'a.txt'), 'one\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  await writeFile(join(checkout, 'notes.txt'), 'mine\n');
});

test('a job in a checkout gets a worktree of it, whose changes are pulled and committed', async () => {
  const { code, stdout, stderr } = await shell('ls; git log --format=%s; echo two >> a.txt');
  expect([code, stdout]).toEqual([0, 'a.txt\nfirst\n']);
  expect(stderr).toContain(
    `works in a worktree of ${checkout}, from ${git('rev-parse', '--short', 'HEAD').trim()} first\n`,
  );
  expect(stderr).toContain('not included, because not committed: notes.txt\n');
  expect(stderr).toContain(` a.txt | 1 +\n`);
  expect(stderr).toContain(`\`promptq pull ${jobId(stderr)}\` applies the changes here\n`);
  expect(await readFile(join(checkout, 'a.txt'), 'utf8')).toBe('one\n');

  const pulled = await startPromptq(['pull', jobId(stderr)], { env, cwd: checkout }).ended;
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining('a.txt | 1 +') });
  git('commit', '-qam', 'second');
  expect(git('status', '--porcelain')).toBe('?? notes.txt\n');

  // The next one starts from what was committed since.
  expect((await shell('cat a.txt')).stdout).toBe('one\ntwo\n');
});

test('--apply applies the changes after a success, and never to a file with changes of the user', async () => {
  const applied = await shell('--apply', 'echo two >> a.txt; echo new > new.txt');
  expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining(`applied to ${checkout}\n`) });
  expect(git('status', '--porcelain')).toBe(' M a.txt\n?? new.txt\n?? notes.txt\n');
  const before = await readFile(join(checkout, 'a.txt'), 'utf8');
  const refused = await shell('--apply', 'sed -i 1i\\zero a.txt; echo more > more.txt');
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('touch what is not committed here: a.txt\n'),
  });
  expect([await readFile(join(checkout, 'a.txt'), 'utf8'), existsSync(join(checkout, 'more.txt'))]).toEqual([
    before,
    false,
  ]);
  const failed = await shell('--apply', 'echo broken > broken.txt; exit 3');
  expect([failed.code, existsSync(join(checkout, 'broken.txt'))]).toEqual([1, false]);
  expect(failed.stderr).toContain(`\`promptq pull ${jobId(failed.stderr)}\` applies the changes here\n`);
});

test('--here works in the folder itself, if nothing can be lost and the user has allowed it once', async () => {
  const left = await shell('--here', 'true');
  expect(left).toMatchObject({ code: 2, stderr: expect.stringContaining('not committed: notes.txt; ') });
  git('add', '-A');
  git('commit', '-qm', 'notes');
  const unasked = await shell('--here', 'true');
  expect(unasked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`may not work in ${checkout} yet: add --yes`),
  });

  const answered = async (answer: string) => {
    const terminal = startTerminal(
      ['run', '--profile', 'shell', '--here', 'echo here > here.txt'],
      { ...env, PROMPTQ_URL: undefined, PROMPTQ_TOKEN: undefined },
      ['env', '-C', checkout],
    );
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk));
    await waitFor(() => shown.includes('Allow it? [y/N]'));
    terminal.stdin.write(`${answer}\n`);
    const [code] = await once(terminal, 'close');
    return [code, existsSync(join(checkout, 'here.txt')), existsSync(grants) && (await readFile(grants, 'utf8'))];
  };
  expect(await answered('n')).toEqual([5, false, expect.not.stringContaining(`"here": [\n    "${checkout}"`)]);
  expect(await answered('y')).toEqual([0, true, expect.stringContaining(JSON.stringify(checkout))]);
  git('add', '-A');
  git('commit', '-qm', 'here');
  expect(await shell('--here', 'pwd; git log --format=%s -1')).toMatchObject({
    code: 0,
    stdout: `${checkout}\nhere\n`,
  });
});

test('--here lets a job change the repository, and not the settings of its user for all repositories', async () => {
  const before = await readFile(join(home, '.gitconfig'), 'utf8');
  const script = 'git config --global user.name Wrong; git commit -qm "of the job" --allow-empty; git clean -fdxq';
  expect((await shell('--here', '--dirty', '--yes', script)).code).toBe(0);
  expect([git('log', '-1', '--format=%s'), git('status', '--porcelain')]).toEqual(['of the job\n', '']);
  expect([await readFile(join(home, '.gitconfig'), 'utf8'), existsSync(allowed)]).toEqual([before, true]);
});

test('--yes and --dirty answer for a script, and the folder stays open to jobs that name it', async () => {
  const refused = await shell('--cwd', checkout, 'pwd');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('start the service with --allow FOLDER') });
  expect(await shell('--here', '--dirty', '--yes', 'cat notes.txt')).toMatchObject({ code: 0, stdout: 'mine\n' });
  expect(await shell('--cwd', checkout, 'cat notes.txt')).toMatchObject({ code: 0, stdout: 'mine\n' });
  // What the service was started with needs no such list.
  expect(await shell('--cwd', allowed, 'pwd')).toMatchObject({ code: 0, stdout: `${await realpath(allowed)}\n` });
});

test('outside a repository a job works in a new folder, and options for a checkout say what is missing', async () => {
  checkout = join(home, 'start');
  const own = await shell('pwd');
  expect([own.code, own.stdout]).toEqual([0, expect.stringMatching(/\/workspaces\/local_project\/job_\w+\/work\n$/)]);
  expect(await shell('--worktree', 'pwd')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not in a git repository'),
  });
  expect(await shell('--here', 'pwd')).toMatchObject({ code: 2, stderr: expect.stringContaining('add --dirty') });
  const elsewhere = { ...env, PROMPTQ_URL: 'http://127.0.0.1:9', PROMPTQ_TOKEN: 'pq', PROMPTQ_RETRY_SECONDS: '0' };
  expect((await startPromptq(['run', '--here', 'x'], { env: elsewhere, cwd: checkout }).ended).code).not.toBe(0);
});
