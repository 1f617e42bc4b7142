import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { copyFolder, placeCopy } from '../../../worker-container/forks/copy-folder.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

let root: string;
let from: string;
let to: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'copy-folder-'));
  [from, to] = [join(root, 'source'), join(root, 'job_fork')];
  await mkdir(join(from, 'deep'), { recursive: true });
  await writeFile(join(from, 'deep', 'notes'), 'one\n');
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

const copy = async (attempt: number, ending = new Ending(), account?: ServiceAccount) =>
  await copyFolder({
    ...{ from, to, attempt, ending, account },
    mark: `test-${attempt}`,
    redaction: new Redaction([]),
  });

test('a copy takes its place whole, and never in place of another', async () => {
  await copy(1);
  expect(await readdir(root)).toEqual(['job_fork.copy-1', 'source']);
  await placeCopy(to, 1);
  await placeCopy(to, 1);
  expect(await readdir(root)).toEqual(['job_fork', 'source']);
  await writeFile(join(to, 'own'), 'kept');
  // An attempt that was lost and still runs.
  await copy(1);
  await placeCopy(to, 1);
  expect(await readdir(root)).toEqual(['job_fork', 'source']);
  expect(await readFile(join(to, 'own'), 'utf8')).toBe('kept');
});

test('an interrupted copy is never used: the next attempt makes its own', async () => {
  const ending = new Ending();
  execFileSync('truncate', ['-s', '3G', join(from, 'large')]);
  const interrupted = copy(1, ending);
  interrupted.catch(() => undefined);
  await expect.poll(async () => await readdir(join(root, 'job_fork.copy-1')).catch(() => [])).not.toEqual([]);
  ending.request('lost');
  await expect(interrupted).rejects.toThrow('it was ended before the agent was started');
  await rm(join(from, 'large'));
  await copy(2);
  await placeCopy(to, 2);
  expect([await readdir(root), await readdir(to)]).toEqual([['job_fork', 'source'], ['deep']]);
});

test('links are copied and not followed, and those into the folder lead into the copy', async () => {
  const outside = join(root, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'of another job');
  await symlink(outside, join(from, 'out'));
  await symlink(join(from, 'deep'), join(from, 'in'));
  await symlink(`${from}-other`, join(from, 'near'));
  const server = createServer().listen(join(from, 'socket'));
  await copy(1);
  await placeCopy(to, 1);
  server.close();
  const links = await Promise.all(['out', 'in', 'near'].map(async (name) => await readlink(join(to, name))));
  expect(links).toEqual([outside, join(to, 'deep'), `${from}-other`]);
  expect(await readdir(to)).toEqual(['deep', 'in', 'near', 'out']);
});

test('what is too large, or unreadable, is reported, and nothing of it is left', async () => {
  execFileSync('truncate', ['-s', '10G', join(from, 'a')]);
  await writeFile(join(from, 'b'), 'more');
  await expect(copy(1)).rejects.toThrow("the folder can't be copied: it has more than 10 GiB, the limit of a fork");
  expect(await readdir(root)).toEqual(['source']);
});

describeAsRoot('a copy under an account', () => {
  test('is made by that account, and then closed', async () => {
    const [account] = newAccounts(1).slots as [ServiceAccount];
    for (const path of [root, from, join(from, 'deep')]) await chmod(path, 0o755);
    await chmod(join(from, 'deep', 'notes'), 0o644);
    await copy(1, new Ending(), account);
    const made = join(root, 'job_fork.copy-1');
    const { uid, gid } = await stat(made);
    expect([uid, gid]).toEqual([0, account.uid]);
    expect((await stat(join(made, 'deep', 'notes'))).uid).toBe(account.uid);
  });
});
