import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { defaultHome } from '../../../lib/local/run/default-home.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { amount } from '../../vitest/amount.ts';

/** What a careless agent runs, in its own folder. `$OTHER` is the folder of another job. */
const CARELESS = [
  'git reset --hard -q',
  'git checkout .',
  'git checkout -f HEAD~1',
  'git restore .',
  'git clean -fdx',
  'git stash -u',
  'git add -A',
  'git commit -qam wip',
  'git switch -c other',
  'git branch -D main',
  'git rm -rfq .',
  'git tag v2',
  'git update-ref -d HEAD',
  'git worktree add -f ../tree',
  'git config user.email wrong@example.com',
  'git config --global user.name Wrong',
  'git config --global --unset user.email',
  'git config --global core.hooksPath /nowhere',
  'git config --global --add safe.directory "*"',
  'git init -q && git add -A && git commit -qm first --allow-empty && git reset -q --hard && git clean -qfdx',
  'npm test',
  'npm pkg set name=wrong',
  'npm config set registry http://127.0.0.1:1',
  'npm init -y && npm link --offline',
  'node -e "fs.rmSync(require.resolve(\'left-pad\'))"',
  'echo wrong > "$TMPDIR/left"',
  'find .. -name "*.txt" -delete',
  'sed -i s/mine/wrong/ ../* ../*/*',
  'mv ../* .',
  'rm -rf ../.git ../package.json',
  'git push',
  'git push --force origin HEAD:main HEAD:promptq',
  'git push --mirror',
  'rm -rf ../*',
];

const [PROMPTQ, LOCAL] = ['promptq.ts', 'local.ts'].map((name) =>
  fileURLToPath(new URL(`../../../bin/${name}`, import.meta.url)),
);

/** What is in folders, except for npm's cache, git's record of file times, and what the link of `npm start` leads to. */
function contentOf(...folders: string[]): Record<string, string> {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const files = paths.filter((path) => lstatSync(path).isFile() && !/\/\.(npm|promptq)\/|\/\.git\/index$/.test(path));
  return Object.fromEntries(files.map((path) => [path, readFileSync(path, 'base64')]));
}

const STARTS: readonly (readonly [string, readonly (string | undefined)[]])[] = [
  ['promptq dev', [PROMPTQ, 'dev', '--port', '0']],
  ...amount([], [['npm start', [LOCAL]] as const]),
];

test.each(STARTS)('jobs of `%s` in a repository change nothing outside of their folders', async (_, args) => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-careless-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const [repository, user] = [join(folder, 'repository'), join(folder, 'user')];
  for (const made of [repository, user, join(repository, 'node_modules/left-pad')])
    mkdirSync(made, { recursive: true });
  writeFileSync(
    join(user, '.gitconfig'),
    '[user]\n\tname = Me\n\temail = me@example.com\n[commit]\n\tgpgSign = true\n',
  );
  writeFileSync(join(user, '.npmrc'), 'color=false\n');
  writeFileSync(join(repository, '.gitignore'), 'node_modules\n.promptq\n');
  writeFileSync(join(repository, 'node_modules/left-pad/index.js'), '');
  const scripts = { test: 'touch was-here', build: 'touch was-here' };
  writeFileSync(join(repository, 'package.json'), JSON.stringify({ name: 'mine', scripts }));
  for (const number of [1, 2]) {
    writeFileSync(join(repository, 'a.txt'), `mine ${number}\n`);
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: repository });
    execFileSync('git', ['add', '-A'], { cwd: repository });
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-qm', `${number}`], {
      cwd: repository,
    });
  }
  writeFileSync(join(repository, 'a.txt'), 'mine, and not committed\n');
  writeFileSync(join(repository, 'new.txt'), 'mine, and not added\n');

  const { PROMPTQ_HOME: _home, ...inherited } = process.env;
  const env = {
    ...inherited,
    HOME: user,
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    PORT: '0',
  };
  const home = defaultHome(repository, env);
  expect([relative(join(folder, 'data'), home).startsWith('..'), existsSync(home)]).toEqual([false, false]);
  const child = spawn(process.execPath, args.map(String), { cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const { base_url: PROMPTQ_URL, token: PROMPTQ_TOKEN } = await waitFor(() => {
    if (child.exitCode !== null) throw new Error(printed);
    return JSON.parse(readFileSync(join(home, 'local.json'), 'utf8'));
  });
  await waitFor(() => printed.includes(`Data       ${home}\n`));
  // README's commands read the token there.
  if (args[0] === LOCAL) expect(readFileSync(join(repository, '.promptq/token'), 'utf8')).toBe(`${PROMPTQ_TOKEN}\n`);
  expect(readFileSync(join(home, '.gitignore'), 'utf8')).toBe('*\n');

  const run = async (script: string, ...options: readonly string[]) => {
    const command = [String(PROMPTQ), 'run', '--profile', 'shell', '--json', ...options, script];
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      cwd: repository,
      env: { ...env, PROMPTQ_URL, PROMPTQ_TOKEN },
    });
    return JSON.parse(stdout);
  };
  const plain = ['--project', 'local_project'];
  const other = await run('pwd; echo mine > a.txt; git rev-parse --show-toplevel; npm prefix', ...plain);
  const [otherFolder = '', prefix] = other.stdout.trim().split('\n');
  expect([prefix, otherFolder]).toEqual([otherFolder, join(home, 'workspaces/local_project', other.id, 'work')]);
  const before = contentOf(repository, user, otherFolder);
  const careless = CARELESS.map((command) => `(${command})`).join('\n');
  const { stderr } = await run(careless, ...plain);
  expect(contentOf(repository, user, otherFolder)).toEqual(before);
  expect(stderr).toContain('not a git repository');
  // In a worktree of the repository, in which they find its commits.
  const { stdout } = await run(`pwd; git log --format=%s; ${careless}`);
  expect(contentOf(repository, user, otherFolder)).toEqual(before);
  expect(stdout).toMatch(/^\/\S+\/work\n2\n1\n/);
});
