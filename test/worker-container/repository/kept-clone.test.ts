import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleBeside, mendClone, recordPath, updateClone } from '../../../worker-container/repository/kept-clone.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { openSurroundings } from './surroundings.ts';

let around: Awaited<ReturnType<typeof openSurroundings>>;
let server: GitServer;
beforeEach(async () => {
  around = await openSurroundings();
  server = await startGitServer();
});
afterEach(async () => {
  await server.close();
  await around.remove();
});

function request(ref?: string, repository = server.url) {
  return { workspaces: join(around.folder, 'workspaces'), projectId: 'p', repository, ref, credentials: {} };
}

const update = async (ref?: string) => await updateClone(around.surroundings, request(ref));
const mend = async (repository?: string) => await mendClone(around.surroundings, request(undefined, repository));

it('a clone begins where the ref is, in each way to name it', async () => {
  const first = await server.commit({ a: '1' });
  const feature = await server.commit({ a: '2' }, 'feature/#1');
  await server.git('tag', 'v1', first);
  const merge = await server.git('commit-tree', `${first}^{tree}`, '-m', 'proposed');
  await server.git('update-ref', 'refs/pull/7/head', merge);
  for (const ref of [undefined, 'HEAD', 'main', 'refs/heads/main', 'origin/main', 'v1', 'refs/tags/v1'])
    expect([ref, await update(ref)]).toMatchObject([ref, { base: first }]);
  for (const ref of ['feature/#1', feature, feature.toUpperCase(), 'refs/remotes/origin/feature/#1'])
    expect([ref, await update(ref)]).toMatchObject([ref, { base: feature }]);
  expect(await update('refs/pull/7/head')).toMatchObject({ base: merge });
  const none = 'the repository has no branch, tag or commit';
  await expect(update('absent')).rejects.toThrow(`${none} "absent". It has the branches feature/#1, main.`);
  await expect(update('0'.repeat(40))).rejects.toThrow(none);
  const part = first.slice(0, 12);
  await expect(update(part)).rejects.toThrow(`${none} "${part}". It is part of an id: set ${first}`);
});

it('a dead HEAD and an empty repository have their own messages', async () => {
  await expect(update()).rejects.toThrow('It is empty: push a first commit to it.');
  await expect(update('main')).rejects.toThrow('It is empty: push a first commit to it.');
  const base = await server.commit({ a: '1' });
  await server.git('symbolic-ref', 'HEAD', 'refs/heads/master');
  expect(await update('main')).toMatchObject({ base });
  const dead = "the repository's HEAD names a branch that does not exist: set `ref`. It has the branches main.";
  await expect(update()).rejects.toThrow(dead);
});

it('a redirection is followed on its host only', async () => {
  const base = await server.commit({ a: '1' });
  const old = request(undefined, server.url.replace('app', 'old'));
  const { surroundings } = around;
  for (const status of [301, 302, 303, 307, 308]) {
    server.moved = [status, status === 301 ? server.url : '/app.git'];
    expect(await updateClone(surroundings, old)).toMatchObject({ base, address: server.url });
  }
  const elsewhere = server.url.replace('127.0.0.1', 'localhost');
  server.moved = [301, elsewhere];
  server.callers.length = 0;
  await expect(updateClone(surroundings, old)).rejects.toThrow(`the repository has moved to ${elsewhere}: set that`);
  // Only the old address was asked: for the fetch, and for where it has moved.
  expect(server.callers).toHaveLength(2);
  server.moved = [302, '/sign-in?for='];
  await expect(updateClone(surroundings, old)).rejects.toThrow('/sign-in, which is no repository');
  server.moved = [302, '/old.git'];
  await expect(updateClone(surroundings, old)).rejects.toThrow('returned error: 302');
});

it('an update brings what is new, and keeps all refs in one file, which the worktrees of jobs begin with', async () => {
  await server.commit({ a: '1' });
  const { dir } = await update();
  const newest = await server.commit({ a: '2' });
  expect(await update('main')).toEqual({ dir, base: newest, address: server.url });
  expect(await readFile(join(dir, 'packed-refs'), 'utf8')).toContain(`${newest} refs/remotes/origin/main`);
  expect(await readdir(join(dir, 'refs'), { recursive: true })).not.toContain('remotes/origin/main');
});

it('each address has a clone, whose settings a job can’t change', async () => {
  await server.commit({ a: '1' });
  const { dir } = await update();
  expect(dir).toMatch(/\/workspaces\/\.repositories\/p-[0-9a-f]{12}\/clone\.git$/);
  expect((await stat(join(dir, '..', 'worktrees'))).isDirectory()).toBe(true);
  await writeFile(join(dir, 'config'), '[core]\n\tsshCommand = evil\n');
  await update();
  expect(await readFile(join(dir, 'config'), 'utf8')).toBe(
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n',
  );
  const other = await updateClone(
    around.surroundings,
    request(undefined, server.url.replace('127.0.0.1', 'localhost')),
  );
  expect(other.dir).not.toBe(dir);
  const record = recordPath({ dir }, 'job_1');
  expect(record).toBe(join(dir, '..', 'worktrees', 'job_1.json'));
  expect(bundleBeside(record)).toBe(join(dir, '..', 'worktrees', 'job_1.bundle'));
});

it('a half-made clone is made again', async () => {
  await server.commit({ a: '1' });
  const { dir } = await update();
  await rm(dir, { recursive: true });
  await mkdir(`${dir}.making`);
  await writeFile(join(`${dir}.making`, 'HEAD'), 'half');
  expect(await update()).toMatchObject({ dir });
  await expect(stat(`${dir}.making`)).rejects.toThrow('ENOENT');
});

it('the locks of a fetch that died are removed', async () => {
  await server.commit({ a: '1' });
  expect(await mend()).toBeUndefined();
  const { dir } = await update();
  expect(await mend()).toBeUndefined();
  const locks = ['packed-refs.lock', 'HEAD.lock', 'shallow.lock', 'refs/promptq.lock'].map((name) => join(dir, name));
  for (const lock of locks) {
    await writeFile(lock, '');
    expect(await mend()).toBe('the kept clone was locked by a fetch that had died');
    await expect(stat(lock)).rejects.toThrow('ENOENT');
  }
});

it('a broken clone is removed if its server answers', async () => {
  const commit = await server.commit({ a: '1' });
  const { dir } = await update();
  const object = join(dir, 'objects', commit.slice(0, 2), commit.slice(2));
  await chmod(object, 0o600);
  await writeFile(object, 'damaged');
  // Without a server there is nothing to make it from.
  const unreachable = { ...request(), credentials: { GIT_ALLOW_PROTOCOL: 'none' } };
  expect(await mendClone(around.surroundings, unreachable)).toBeUndefined();
  expect(await mend()).toBe('the kept clone was broken and was made again');
  for (const gone of [dir, `${dir}.broken`]) await expect(stat(gone)).rejects.toThrow('ENOENT');
  expect(await update()).toMatchObject({ dir, base: commit });
});
