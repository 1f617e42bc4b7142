import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findWorktree, openWorktree } from '../../../worker-container/repository/job-worktree.ts';
import { type KeptClone, recordPath, updateClone } from '../../../worker-container/repository/kept-clone.ts';
import { findSnapshot } from '../../../worker-container/repository/snapshots.ts';
import { changesOf } from '../../../worker-container/repository/worktree-changes.ts';
import { readRecord } from '../../../worker-container/repository/worktree-record.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { openSurroundings } from './surroundings.ts';

const run = promisify(execFile);
const SECRET = 'hunter2-secret';

let around: Awaited<ReturnType<typeof openSurroundings>>;
let server: GitServer;
let clone: KeptClone;
beforeAll(async () => {
  around = await openSurroundings([SECRET]);
  server = await startGitServer();
  await server.commit({ kept: 'a\nb\nc\n', removed: 'x\n', '.gitignore': 'ignored\n' });
  const request = { projectId: 'p', repository: server.url, ref: undefined, credentials: {} };
  clone = await updateClone(around.surroundings, { ...request, workspaces: join(around.folder, 'workspaces') });
});
afterAll(async () => {
  await server.close();
  await around.remove();
});

const pathOf = (name: string) => join(around.folder, name);

async function open(name: string, from?: Awaited<ReturnType<typeof findSnapshot>>) {
  const path = pathOf(name);
  const lend = async () => await mkdir(path, { recursive: true });
  return await openWorktree(around.surroundings, { clone, jobId: name, path, lend, from });
}

const inFolder = async (name: string, ...args: string[]) =>
  (await run('git', args, { cwd: pathOf(name), env: { PATH: process.env.PATH, HOME: around.folder } })).stdout.trim();

async function changed(name: string, attempt = 1, surroundings = around.surroundings) {
  const own = join(around.folder, 'own', name, String(attempt));
  await mkdir(own, { recursive: true });
  const worktree = await findWorktree(clone, name, pathOf(name));
  const found = await changesOf(surroundings, worktree, { own }, { id: name, attempt });
  return { ...found, diff: await readFile(join(own, 'changes.diff'), 'utf8').catch(() => undefined) };
}

it('a worktree begins at the clone’s commit, on its own branch, with an author, and stays that of its job', async () => {
  const { path, base, warnings, record } = await open('job_1a');
  expect([base, warnings]).toEqual([clone.base, []]);
  expect(await inFolder('job_1a', 'status', '--short', '--branch')).toBe('## promptq/job_1a');
  expect(await inFolder('job_1a', 'rev-parse', 'HEAD')).toBe(clone.base);
  expect(await inFolder('job_1a', 'config', 'user.email')).toBe('agent@promptq.invalid');
  expect(Number(await inFolder('job_1a', 'config', 'checkout.workers'))).toBeGreaterThan(1);
  expect(await inFolder('job_1a', 'rev-parse', 'origin/main')).toBe(clone.base);
  expect(await readRecord(record)).toEqual({ base: clone.base, isReady: true });
  await writeFile(join(path, 'kept'), 'changed');
  await server.commit({ kept: 'newer' });
  expect(await open('job_1a')).toEqual({ path, clone: clone.dir, record, base, warnings: [] });
  expect(await readFile(join(path, 'kept'), 'utf8')).toBe('changed');
});

it('a folder that is no worktree is put aside, and a half-made one is made again', async () => {
  for (const aside of ['job_2ba.earlier', 'job_2ba.earlier-2']) {
    await mkdir(pathOf('job_2ba'), { recursive: true });
    await writeFile(join(pathOf('job_2ba'), 'note'), aside);
    const { warnings } = await open('job_2ba');
    expect(warnings).toEqual([
      `repository: the job's folder was no worktree of it; what was there is kept in ${aside}`,
    ]);
    expect(await readFile(join(pathOf(aside), 'note'), 'utf8')).toBe(aside);
    await run('rm', [recordPath(clone, 'job_2ba')]);
    await run('rm', ['-r', pathOf('job_2ba')]);
  }
  await mkdir(pathOf('job_2b'));
  await writeFile(recordPath(clone, 'job_2b'), JSON.stringify({ base: clone.base, isReady: false }));
  expect(await open('job_2b')).toMatchObject({ warnings: [] });
  await expect(stat(pathOf('job_2b.earlier'))).rejects.toThrow('ENOENT');
});

it('changes are those of all files but ignored ones, committed or not, with secrets masked', async () => {
  const { path } = await open('job_3a');
  await writeFile(join(path, 'kept'), `a\nB\nc\n${SECRET}\n`);
  await run('rm', [join(path, 'removed')]);
  await writeFile(join(path, 'committed'), 'one\ntwo\n');
  await inFolder('job_3a', 'add', 'committed');
  await inFolder('job_3a', 'commit', '-q', '-m', 'work');
  await writeFile(join(path, 'untracked'), 'new\n');
  await writeFile(join(path, 'ignored'), 'unseen\n');
  await writeFile(join(path, 'binary'), Buffer.from([0, 1, 2]));
  // The job's own index and excludes hide nothing.
  await inFolder('job_3a', 'update-index', '--assume-unchanged', 'kept');
  await mkdir(join(path, '.git', 'info'));
  await writeFile(join(path, '.git', 'info', 'exclude'), 'untracked\n');
  const before = await readFile(join(path, '.git', 'index'));
  const { changes, warnings, diff = '' } = await changed('job_3a');
  expect(warnings).toEqual([]);
  const head = await inFolder('job_3a', 'rev-parse', 'HEAD');
  expect(changes).toMatchObject({ branch: 'promptq/job_3a', base: clone.base, head, truncated: false, masked: true });
  expect(changes).toMatchObject({ files: 5, insertions: 5, deletions: 2 });
  expect(changes?.stat.split('\n').slice(0, -2)).toEqual(
    [
      ...[' binary    | Bin 0 -> 3 bytes', ' committed |   2 ++', ' kept      |   3 ++-'],
      ...[' removed   |   1 -', ' untracked |   1 +'],
    ].map((line) => expect.stringMatching(new RegExp(`^${line.replace(/[|+]/g, '\\$&').replace(/ +/g, ' +')}$`))),
  );
  expect(diff).toContain('+***\n');
  expect(diff).toContain('GIT binary patch');
  expect(diff).not.toContain(SECRET);
  expect(diff).not.toContain('unseen');
  expect(await readFile(join(path, '.git', 'index'))).toEqual(before);
  expect((await stat(join(around.folder, 'own', 'job_3a', '1', 'changes.diff'))).mode & 0o777).toBe(0o600);
});

it('a job that has left its branch, or its repository, has its changes all the same', async () => {
  const { path } = await open('job_5a');
  await inFolder('job_5a', 'checkout', '-q', '--detach');
  expect((await changed('job_5a')).changes).toMatchObject({ branch: null, head: clone.base });
  await writeFile(join(path, '.git', 'HEAD'), 'nonsense');
  await writeFile(join(path, 'kept'), 'a\n');
  expect((await changed('job_5a')).changes).toMatchObject({ branch: null, head: clone.base, files: 1, deletions: 2 });
});

it('a diff is cut at 10 MiB, and is masked if only a name in it is', async () => {
  const { path } = await open('job_6a');
  await writeFile(join(path, `large-${SECRET}`), `${'x'.repeat(1023)}\n`.repeat(11 * 1024));
  const { changes, diff = '' } = await changed('job_6a');
  expect(changes).toMatchObject({ truncated: true, masked: true, insertions: 11 * 1024 });
  expect(diff).toHaveLength(10 * 1024 * 1024);
});

it('a fork begins with the files of the turn that it forks, uncommitted as they were', async () => {
  const { path } = await open('job_8a');
  await writeFile(join(path, 'committed'), 'one\n');
  await inFolder('job_8a', 'add', 'committed');
  await inFolder('job_8a', 'commit', '-q', '-m', 'work');
  await writeFile(join(path, 'untracked'), 'new\n');
  expect(await findSnapshot(clone, 'job_8a', { id: 'job_8a', attempt: 1 })).toBeUndefined();
  await changed('job_8a');
  const snapshot = await findSnapshot(clone, 'job_8a', { id: 'job_8a', attempt: 1 });
  expect(snapshot).toMatchObject({ base: clone.base, bundle: recordPath(clone, 'job_8a').replace('.json', '.bundle') });
  expect(await findSnapshot(clone, 'job_8a', { id: 'job_8a', attempt: 2 })).toBeUndefined();
  expect(await open('job_8b', snapshot)).toMatchObject({ base: clone.base, warnings: [] });
  expect(await inFolder('job_8b', 'rev-parse', 'HEAD')).toBe(await inFolder('job_8a', 'rev-parse', 'HEAD'));
  expect(await inFolder('job_8b', 'status', '--short', '--branch')).toBe('## promptq/job_8b\n?? untracked');
  expect(await readFile(join(pathOf('job_8b'), 'untracked'), 'utf8')).toBe('new\n');
  // The next turn's snapshot replaces it.
  await writeFile(join(path, 'untracked'), 'newer\n');
  await changed('job_8a', 2);
  expect(await findSnapshot(clone, 'job_8a', { id: 'job_8a', attempt: 2 })).toBeDefined();
});

it('no path costs the others: what git can’t take is named, and repositories are there with their files', async () => {
  const { path } = await open('job_9a');
  const script = `
    echo x >> kept
    git init -q app; echo y > app/a.txt
    git init -q done; echo z > done/z.txt; git -C done add .; git -C done -c user.name=a -c user.email=a@b.c commit -qm x
    git init -q done/inner; echo i > done/inner/i; echo skipped > done/skip; echo skip > done/.gitignore
    git init -q ignored; echo u > ignored/u
    git init -q odd; rm odd/.git/HEAD; mkfifo odd/.git/HEAD; echo '[bad' > odd/.git/config; echo o > odd/o
    mkfifo .gitattributes; mkdir sub; mkfifo sub/.gitignore; echo s > sub/s
    touch 'git~1' .GIT; ln -s nowhere .gitmodules; truncate -s 20G huge
    rm removed; mkfifo removed; touch .DS_Store; mkdir .idea; touch .idea/x
    deep() { local name=$(printf 'd%.0s' {1..200}); for n in {1..22}; do mkdir $name; cd $name; done; touch below; }
    (deep)`;
  await run('bash', ['-c', script], { cwd: path, env: { PATH: process.env.PATH, HOME: around.folder } });
  const { changes, warnings, diff = '' } = await changed('job_9a');
  const names = [...diff.matchAll(/^diff --git a\/.* b\/(.*)$/gm)].map(([, name]) => name);
  expect(names).toEqual([...['app/a.txt', 'done/.gitignore', 'done/inner/i', 'done/z.txt', 'kept', 'odd/o', 'sub/s']]);
  expect(changes).toMatchObject({ files: 7, insertions: 7, deletions: 0 });
  expect(warnings).toEqual([
    'changes: not complete: git does not take these paths: ".GIT", ".gitmodules", "git~1", "removed"',
    'changes: not complete: these files have more than 100 MiB: "huge"',
    expect.stringMatching(/^changes: not complete: these folders could not be read: "d+"$/),
  ]);
  // A fork starts with them.
  await open('job_9b', await findSnapshot(clone, 'job_9a', { id: 'job_9a', attempt: 1 }));
  expect(await readFile(join(pathOf('job_9b'), 'done', 'inner', 'i'), 'utf8')).toBe('i\n');
  // Node can't remove paths that are so long.
  await run('rm', ['-r', path]);
});

it('what the owner’s git is configured to do asks nothing of a job, and fails nothing', async () => {
  const { path } = await open('job_11a');
  const home = join(around.folder, 'home');
  await mkdir(join(home, 'hooks'), { recursive: true });
  for (const hook of ['pre-commit', 'commit-msg', 'fsmonitor'])
    await writeFile(join(home, 'hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const sign = '[commit]\ngpgSign = true\ntemplate = /gone\n[tag]\ngpgSign = true\nforceSignAnnotated = true\n';
  const rest = `[gpg]\nprogram = /bin/false\n[log]\nshowSignature = true\n[merge]\nverifySignatures = true\n[core]\n
    hooksPath = ${home}/hooks\neditor = /bin/false\npager = /bin/false\nfsmonitor = ${home}/hooks/fsmonitor
    [sequence]\neditor = /bin/false\n[credential]\nhelper = "!touch ${home}/asked; false #"\n`;
  await writeFile(join(home, '.gitconfig'), sign + rest);
  const script = `set -e
    echo 1 > one; git add one; git commit -qm one; git tag -m t tagged; git log -1 --format=%an
    git checkout -qb side HEAD~1; echo 2 > two; git add two; git commit -qm two
    git merge -q tagged; git rebase -qi HEAD~1; git revert HEAD~1; git status --short
    printf 'protocol=https\\nhost=example.com\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill && exit 9
    test ! -e ${home}/asked`;
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout } = await run('bash', ['-c', script], { cwd: path, env });
  expect(stdout).toContain('Promptq\n');
});

it.each([
  ['symbolic-ref', { branch: null }, []],
  [
    'rev-parse',
    { branch: 'promptq/job_rev-parse' },
    ['repository: no snapshot to fork from: git rev-parse: ended by SIGKILL'],
  ],
] as const)(
  'if git %s is killed, the changes say that the commit is not known for sure',
  async (subcommand, known, more) => {
    const name = `job_${subcommand}`;
    const { path } = await open(name);
    await writeFile(join(path, 'committed'), 'one\n');
    await inFolder(name, 'add', 'committed');
    await inFolder(name, 'commit', '-q', '-m', 'work');
    const { changes, warnings, diff } = await changed(name, 1, await around.withGit(subcommand, 'kill -KILL $$'));
    expect(changes).toMatchObject({ ...known, files: 1, insertions: 1 });
    expect(diff).toContain('+one');
    expect(warnings).toEqual([
      `changes: the branch or the newest commit is not known: git ${subcommand}: ended by SIGKILL`,
      ...more,
    ]);
    // A fork would lack the commits of the job.
    const snapshot = await findSnapshot(clone, name, { id: name, attempt: 1 });
    expect(snapshot === undefined).toBe(subcommand === 'rev-parse');
  },
);

it('files that are moved are renames, and files that the summary leaves out are counted', async () => {
  const { path } = await open('job_10a');
  const folder = Array(12).fill('f'.repeat(240)).join('/');
  const script = `mv kept also-kept; mkdir -p ${folder}; cd ${folder}; touch {1..300}`;
  await run('bash', ['-c', script], { cwd: path });
  const { changes, warnings, diff = '' } = await changed('job_10a');
  expect(warnings).toEqual([]);
  expect(changes).toMatchObject({ files: 301, insertions: 0, deletions: 0 });
  expect(diff).toContain('similarity index 100%\nrename from kept\nrename to also-kept\n');
});
