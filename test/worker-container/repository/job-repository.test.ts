import { execFileSync } from 'node:child_process';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { grantFolder } from '../../../lib/platform/config/granted-folders.ts';
import type { SharedLocks } from '../../../lib/platform/shared-lock.ts';
import type { ProjectSettings } from '../../../lib/projects/project-settings.ts';
import type { Ending } from '../../../worker-container/commands/ending.ts';
import { openRepository, type RepositoryJob } from '../../../worker-container/repository/job-repository.ts';
import { changesOf } from '../../../worker-container/repository/worktree-changes.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { openSurroundings } from './surroundings.ts';

let around: Awaited<ReturnType<typeof openSurroundings>>;
let server: GitServer;
beforeEach(async () => {
  around = await openSurroundings();
  server = await startGitServer({ credentials: 'bot:hunter2-secret' });
  await server.commit({ kept: 'a\n' });
});
afterEach(async () => {
  await server.close();
  await around.remove();
});

const SECRET = () => `${server.url.replace('http://', 'http://bot:hunter2-secret@').replace('/app.git', '')}`;
const id = jobIdOfKey('with a repository');

/** Opens the repository of a job whose project has these settings. */
async function opened(
  settings: Partial<ProjectSettings> = {},
  {
    job = {},
    secrets = new Map([['DEPLOY_KEY', SECRET()]]),
    ending,
    busy = 0,
    source,
    env = {},
  }: {
    job?: Partial<RepositoryJob['job']>;
    secrets?: Map<string, string>;
    ending?: Ending;
    /** How often the lock is another one's. */
    busy?: number;
    source?: RepositoryJob['source'];
    env?: Partial<typeof around.surroundings.env>;
  } = {},
) {
  const calls: string[] = [];
  let left = busy;
  const locks = {
    take: async (name: string, holder: string) => {
      calls.push(`take ${name} ${holder}`);
      left -= 1;
      return left < 0;
    },
    release: async (name: string, holder: string) => void calls.push(`release ${name} ${holder}`),
  } as unknown as SharedLocks;
  const path = join(around.folder, job.id ?? id);
  const worktree = await openRepository(
    {
      locks,
      secrets: {
        read: async (names: readonly string[]) => new Map([...secrets].filter(([name]) => names.includes(name))),
      },
    } as Parameters<typeof openRepository>[0],
    { ...around.surroundings, env: { ...around.surroundings.env, ...env }, ending },
    {
      job: { id, attempt: 1, project_id: 'p', ...job } as RepositoryJob['job'],
      settings: { repository: server.url, secret: 'DEPLOY_KEY', ...settings } as ProjectSettings,
      path,
      workspaces: join(around.folder, 'workspaces'),
      lend: async () => await mkdir(path, { recursive: true }),
      agentEnv: { PATH: process.env.PATH ?? '' },
      setupLog: join(around.folder, 'setup.log'),
      ...(source !== undefined && { source }),
    },
  );
  return { worktree, calls, path };
}

it('the clone is made with the project’s secret, under its lock, and the secret is masked', async () => {
  const { worktree, calls, path } = await opened();
  expect(worktree).toMatchObject({ path, warnings: [] });
  expect(await readFile(join(path, 'kept'), 'utf8')).toBe('a\n');
  expect(calls).toEqual([`take clone#p ${id}/1`, `release clone#p ${id}/1`]);
  expect(around.surroundings.redaction.text('the password is hunter2-secret')).toBe('the password is ***');
  expect(around.surroundings.redaction.text(`in ${SECRET()}`)).toBe('in ***');
});

it('a branch that does not exist is the project’s fault, and so is a server that refuses', async () => {
  await expect(opened({ ref: 'absent' })).rejects.toThrow('the repository has no branch, tag or commit "absent"');
  const secrets = new Map([['DEPLOY_KEY', SECRET().replace('hunter2', 'wrong')]]);
  await expect(opened({}, { secrets })).rejects.toThrow(/^git fetch: /);
});

it('a fork begins with the files of its source, for which a snapshot is made if there is none', async () => {
  const { path } = await opened();
  await writeFile(join(path, 'work'), 'in progress\n');
  const done: string[] = [];
  const source = {
    job: { id, attempt: 1 },
    path,
    lend: async () => void done.push('lend'),
    close: async () => void done.push('close'),
    onCopied: async () => void done.push('copied'),
  } as NonNullable<RepositoryJob['source']>;
  const fork = jobIdOfKey('fork');
  const copy = await opened({}, { job: { id: fork }, source });
  expect(await readFile(join(copy.path, 'work'), 'utf8')).toBe('in progress\n');
  expect(done).toEqual(['lend', 'close', 'copied']);
  // The snapshot is kept.
  await opened({}, { job: { id: jobIdOfKey('second fork') }, source });
  expect(done).toEqual(['lend', 'close', 'copied', 'copied']);
  const none = { ...source, job: { ...source.job, id: jobIdOfKey('no worktree') } };
  const refused = opened({}, { job: { id: jobIdOfKey('third fork') }, source: none });
  await expect(refused).rejects.toThrow("is no worktree of the project's repository");
});

it('a setup command runs once in a worktree', async () => {
  const { path } = await opened({ setup: 'echo set up >> done' });
  expect(await readFile(join(path, 'done'), 'utf8')).toBe('set up\n');
  await opened({ setup: 'echo set up >> done' });
  expect(await readFile(join(path, 'done'), 'utf8')).toBe('set up\n');
  expect((await stat(join(around.folder, 'setup.log'))).isFile()).toBe(true);
  await expect(opened({ setup: 'exit 3' })).rejects.toThrow(/setup.*3|3.*setup/i);
});

it('what the checkout and the setup command make is not the work of the agent, nor of a fork', async () => {
  await server.commit({ 'a.bat': 'one\r\ntwo\r\n', large: 'pointer\n' });
  await server.commit({ '.gitattributes': '*.bat text\nlarge filter=lfs\n' });
  const changed = async (turn: string, worktree: Awaited<ReturnType<typeof opened>>['worktree']) => {
    const { changes, warnings } = await changesOf(
      around.surroundings,
      worktree,
      { own: around.folder },
      { id: turn, attempt: 1 },
    );
    return [changes?.files, changes?.insertions, warnings];
  };
  expect(await changed('none', (await opened({}, { job: { id: jobIdOfKey('none') } })).worktree)).toEqual([0, 0, []]);
  const setup = 'test -e made || { echo content > large; echo made > made; }';
  const { worktree, path } = await opened({ setup });
  expect(await changed(id, worktree)).toEqual([0, 0, []]);
  await writeFile(join(path, 'large'), 'content\nmore\n');
  expect(await changed(id, (await opened({ setup })).worktree)).toEqual([1, 1, []]);
  expect(await readFile(join(around.folder, 'changes.diff'), 'utf8')).toContain(' content\n+more\n');
  const nothing = async () => undefined;
  const source = { job: { id, attempt: 1 }, path, lend: nothing, close: nothing, onCopied: nothing } as NonNullable<
    RepositoryJob['source']
  >;
  const fork = await opened({ setup }, { job: { id: jobIdOfKey('fork') }, source });
  expect(await changed('fork', fork.worktree)).toEqual([1, 1, []]);
});

it('a submodule is a warning if it is empty, or if its files are not those of its commit', async () => {
  const open = await startGitServer();
  try {
    const sub = await open.commit({ kept: 'a\n', '.gitmodules': '[submodule "sub"]\npath = sub\nurl = ../app.git\n' });
    await open.git('read-tree', sub);
    await open.git('update-index', '--add', '--cacheinfo', `160000,${sub},sub`);
    const tree = await open.git('write-tree');
    await open.git('update-ref', 'refs/heads/main', await open.git('commit-tree', '-p', sub, '-m', 'sub', tree));
    const settings = { repository: open.url, secret: undefined } as object;
    const empty = await opened(settings);
    expect(empty.worktree?.warnings).toEqual([
      expect.stringMatching(/^repository: these submodules are empty.*: "sub"$/),
    ]);
    const full = await opened(
      { ...settings, setup: 'git submodule update --init' },
      { job: { id: jobIdOfKey('full') } },
    );
    expect(full.worktree?.warnings).toEqual([]);
    const changed = async () =>
      await changesOf(around.surroundings, full.worktree, { own: around.folder }, { id: 'full', attempt: 1 });
    expect(await changed()).toMatchObject({ changes: { files: 0 }, warnings: [] });
    await writeFile(join(full.path, 'sub', 'kept'), 'b\n');
    expect(await changed()).toMatchObject({
      changes: { files: 0 },
      warnings: [expect.stringMatching(/^changes: not complete: these submodules have changes.*: "sub"$/)],
    });
  } finally {
    await open.close();
  }
});

it('a folder of this machine that its user has opened is a repository, at its HEAD, and takes no push', async () => {
  const checkout = join(around.folder, 'checkout');
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
  const identity = ['-c', 'user.name=me', '-c', 'user.email=me@example.com'];
  await mkdir(checkout);
  git(checkout, 'init', '-q', '-b', 'trunk');
  for (const text of ['one', 'two']) {
    await writeFile(join(checkout, 'a.txt'), text);
    git(checkout, 'add', '.');
    git(checkout, ...identity, 'commit', '-qm', text);
  }
  git(checkout, 'checkout', '-qb', 'topic', 'HEAD~1');
  await writeFile(join(checkout, 'a.txt'), 'not committed');
  const file = join(around.folder, 'state', 'folders.json');
  const env = { PROMPTQ_TEMP: '/nowhere', PROMPTQ_GRANTED_FOLDERS: file };
  const at = async (repository: string, key: string) =>
    await opened({ repository }, { env, job: { id: jobIdOfKey(key) } });

  await expect(at(checkout, 'not yet')).rejects.toThrow(`repository: ${checkout}: a folder must lie under one of /now`);
  await grantFolder(file, 'worktree', checkout);
  const { path } = await at(`file://${checkout}`, 'granted');
  expect([await readFile(join(path, 'a.txt'), 'utf8'), git(path, 'rev-parse', 'HEAD')]).toEqual([
    'one',
    git(checkout, 'rev-parse', 'topic'),
  ]);
  git(path, ...identity, 'commit', '-q', '--allow-empty', '-m', 'of a job');
  const refs = git(checkout, 'for-each-ref');
  for (const push of [
    ['push', '-q', 'origin', 'HEAD:other'],
    ['push', '-u', 'origin', 'HEAD'],
    ['push', '--mirror', 'origin'],
  ])
    expect(() => execFileSync('git', push, { cwd: path, stdio: 'pipe' })).toThrow('jobs-do-not-push');
  expect([git(checkout, 'for-each-ref'), git(checkout, 'status', '--porcelain')]).toEqual([refs, 'M a.txt']);

  // A link in an open folder opens nothing.
  await mkdir(join(around.folder, 'closed'));
  await symlink(join(around.folder, 'closed'), join(checkout, 'link'));
  const closed = join(around.folder, 'closed');
  await expect(at(join(checkout, 'link'), 'link')).rejects.toThrow(`repository: ${closed}: a folder must lie under`);

  // `git clone --depth 1`
  const shallow = join(around.folder, 'shallow');
  git(around.folder, 'clone', '-q', '--depth', '1', `file://${checkout}`, shallow);
  await grantFolder(file, 'worktree', shallow);
  const copy = await at(shallow, 'shallow');
  expect(git(copy.path, 'log', '--format=%s').split('\n')).toHaveLength(1);
});
