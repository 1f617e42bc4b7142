import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { GitRefusedError, type GitSurroundings, git, runTool } from '../../../worker-container/repository/git.ts';
import { openSurroundings } from './surroundings.ts';

let around: Awaited<ReturnType<typeof openSurroundings>>;
beforeEach(async () => {
  around = await openSurroundings(['hunter2-secret']);
});
afterEach(async () => await around.remove());

/** Surroundings in which `git` is this script of bash. */
async function withGit(script: string): Promise<GitSurroundings> {
  const programs = join(around.folder, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'git'), `#!/bin/bash\n${script}\n`);
  await chmod(join(programs, 'git'), 0o755);
  const { surroundings } = around;
  return { ...surroundings, env: { ...surroundings.env, PATH: `${programs}:${process.env.PATH}` } };
}

it('git runs no hook, helper or filter that a repository sets, asks nothing, and follows no redirection', async () => {
  const surroundings = await withGit(`printf '%s\\n' "$@"`);
  const said = await git(surroundings, ['status', '--', 'a b'], { settings: { 'user.name': 'Promptq' } });
  expect(said.split('\n')).toEqual([
    ...[
      ...['core.attributesFile=/dev/null', 'core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.quotePath=false'],
      ...['credential.helper=', 'fetch.recurseSubmodules=false', 'gc.auto=0', 'http.followRedirects=false'],
      ...['maintenance.auto=false', 'protocol.ext.allow=never', 'safe.directory=*', 'submodule.recurse=false'],
      'user.name=Promptq',
    ].flatMap((setting) => ['-c', setting]),
    ...['status', '--', 'a b', ''],
  ]);
});

it.each([
  [true, 'https:http:git'],
  [false, 'https'],
])('git gets an environment that is its own (repositories of this machine: %s)', async (loopback, protocols) => {
  const surroundings = await withGit('pwd; env');
  const env = { ...surroundings.env, PROMPTQ_REPOSITORY_LOOPBACK: loopback, PROMPTQ_RUN_HOME: '/run-home' };
  const repository = { gitDir: '/git-dir', workTree: '/work-tree' };
  const said = await git({ ...surroundings, env }, ['status'], { repository, env: { GIT_ASKPASS: '/asker' } });
  const { attemptDir } = surroundings;
  const [folder, ...lines] = said.trim().split('\n');
  expect(folder).toBe(attemptDir);
  const own = lines.filter((line) => !/^(_|SHLVL|PWD|OLDPWD|PROMPTQ_ATTEMPT\w*)=/.test(line));
  expect(own.toSorted()).toEqual(
    [
      ...[`PATH=${env.PATH}`, 'LANG=C.UTF-8', `HOME=${attemptDir}`, 'PROMPTQ_RUN_HOME=/run-home'],
      ...[`GIT_ALLOW_PROTOCOL=${protocols}`, 'GIT_ATTR_NOSYSTEM=1', `GIT_CEILING_DIRECTORIES=${dirname(attemptDir)}`],
      ...['GIT_CONFIG_GLOBAL=/dev/null', 'GIT_CONFIG_NOSYSTEM=1', 'GIT_LFS_SKIP_SMUDGE=1', 'GIT_NO_LAZY_FETCH=1'],
      ...['GIT_NO_REPLACE_OBJECTS=1', 'GIT_TERMINAL_PROMPT=0', 'GIT_DIR=/git-dir', 'GIT_WORK_TREE=/work-tree'],
      'GIT_ASKPASS=/asker',
    ].toSorted(),
  );
});

it('a call without a worktree names none', async () => {
  const surroundings = await withGit('env');
  expect(await git(surroundings, ['gc'], { repository: { gitDir: '/git-dir' } })).not.toContain('GIT_WORK_TREE');
  expect(await git(surroundings, ['gc'])).not.toMatch(/GIT_DIR|PROMPTQ_RUN_HOME/);
});

it.each([
  [
    'echo "noise" >&2; echo "fatal: no such ref hunter2-secret" >&2; exit 128',
    128,
    'git fetch: fatal: no such ref ***',
  ],
  ['for n in 1 2 3; do echo "error: $n" >&2; done; exit 1', 1, 'git fetch: error: 2 error: 3'],
  ['printf "one\\ntwo\\n\\n three \\n" >&2; exit 1', 1, 'git fetch: two three'],
  ['echo "remote: denied" >&2; echo "hint: x" >&2; exit 1', 1, 'git fetch: remote: denied'],
  ['exit 7', 7, 'git fetch: exit code 7'],
])('%s', async (script, code, message) => {
  await expect(git(await withGit(script), ['fetch', '--quiet'])).rejects.toThrow(new GitRefusedError(message, code));
});

it('more output than 8 MiB is an error, unless it is given piece by piece', async () => {
  const surroundings = await withGit('head -c 8400000 /dev/zero');
  await expect(git(surroundings, ['show'])).rejects.toThrow('git show: its output has more than 8 MiB');
  let bytes = 0;
  const onStdout = (chunk: Buffer) => {
    bytes += chunk.length;
  };
  const given = await git(surroundings, ['show'], { onStdout });
  expect([given, bytes]).toEqual(['', 8_400_000]);
});

it('a call that takes too long is ended, and so is one of an attempt that ends', async () => {
  const surroundings = await withGit('sleep 300');
  await expect(git(surroundings, ['fetch'], { limit: 50 })).rejects.toThrow('it took longer than 0.05 seconds');
  const ending = new Ending();
  ending.request('cancelled');
  await expect(git({ ...surroundings, ending }, ['fetch'])).rejects.toMatchObject({
    name: 'CancelledBeforeStartError',
  });
});

it('a tool runs in the attempt’s folder, with a plain environment', async () => {
  const said = await runTool(around.surroundings, 'bash', ['-c', 'pwd; echo "$LANG $HOME."']);
  expect(said).toBe(`${around.surroundings.attemptDir}\nC.UTF-8 .\n`);
});
