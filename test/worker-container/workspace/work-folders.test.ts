import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomJobId } from '../../../lib/jobs/lifecycle/job-id.ts';
import type { FolderUser } from '../../../lib/jobs/lifecycle/working-folder.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { startUnder } from '../../../worker-container/service-accounts/start-under-account.ts';
import { WorkFolders } from '../../../worker-container/workspace/work-folders.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

describeAsRoot('the folders that jobs work in', () => {
  const [slot, other] = newAccounts(2).slots as [ServiceAccount, ServiceAccount];
  let folder: string;
  let workspaces: string;
  let root: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    await chmod(folder, 0o711);
    [workspaces, root] = [join(folder, 'workspaces'), join(folder, 'root')];
    await mkdir(root);
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  const at = (...names: string[]) => join(workspaces, ...names);
  const aJob = (inherits: Partial<FolderUser> = {}): FolderUser => ({ id: randomJobId(), ...inherits });
  const foldersFor = (account: ServiceAccount) =>
    new WorkFolders({
      account,
      folders: { workspaces, roots: [root] },
      closed: [join(workspaces, '.account'), join(root, 'held', 'own')],
    });
  const lend = async (account: ServiceAccount, path: string, user = aJob()) =>
    await foldersFor(account).lend(path, user);
  const found = async (path: string) => {
    const { uid, mode } = await lstat(path);
    return [uid, (mode & 0o777).toString(8)];
  };
  /** Runs a script as an account, in a folder. */
  const run = ({ uid, gid }: ServiceAccount, cwd: string, script: string) =>
    spawnSync('setpriv', [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', 'sh', '-c', `umask 002; ${script}`], {
      cwd,
      encoding: 'utf8',
    });

  test('belong to the account that they were created for, and the folder of a project to no account', async () => {
    const job = aJob();
    expect(await lend(slot, at('p', 'a', 'b'))).toBe(at('p', 'a', 'b'));
    await lend(slot, at('p', job.id), job);
    expect([await found(at('p')), await found(at('p', 'a')), await found(at('p', 'a', 'b'))]).toEqual([
      [0, '755'],
      [slot.uid, '775'],
      [slot.uid, '775'],
    ]);
    expect(await found(at('p', job.id))).toEqual([slot.uid, '700']);
    // A root belongs to no slot, nor does a folder of another owner below it.
    await mkdir(join(root, 'made'));
    await lend(other, join(root, 'made'));
    await lend(other, root);
    expect([await found(join(root, 'made')), await found(root)]).toEqual([
      [0, '755'],
      [0, '755'],
    ]);
  });

  test('are never those of a project, or of another job, by whatever name', async () => {
    const job = aJob();
    await lend(slot, at('p', job.id), job);
    await writeFile(at('p', job.id, 'private'), '');
    await mkdir(at('.account'), { mode: 0o700 });
    await symlink(at('p', job.id), join(root, 'to-job'));
    await symlink(at('p'), join(root, 'to-project'));
    await symlink(at('.account'), at('p', 'to-account'));
    await symlink(folder, at('p', 'out'));
    const refused = [at(), at('p'), at('p', job.id), at('p', job.id, 'deep'), join(root, 'to-job'), at('.account')];
    await mkdir(join(root, 'held', 'own'), { recursive: true });
    for (const path of [join(root, 'held'), join(root, 'held', 'own', 'x')])
      await expect(lend(other, path), path).rejects.toThrow("is the worker's own");
    const more = [join(root, 'to-job', 'deep'), join(root, 'to-project'), at('p', 'to-account', 'x'), at('p', 'out')];
    for (const path of [...refused, ...more]) await expect(lend(other, path), path).rejects.toThrow(/^cwd: /);
    expect([await found(at('p', job.id)), await readdir(at('p', job.id)), await readdir(at('.account'))]).toEqual([
      [slot.uid, '700'],
      ['private'],
      [],
    ]);
    await lend(slot, at('p', 'a'));
    await symlink('a', at('p', 'inside'));
    expect(await lend(other, at('p', 'inside'))).toBe(at('p', 'a'));
  });

  test('keep their owner when another slot uses them, so that both can work there', async () => {
    await lend(slot, at('p', 'both'));
    expect(run(slot, at('p', 'both'), 'echo 1 > file; mkdir deep; mkdir -m 700 closed').status).toBe(0);
    await lend(other, at('p', 'both'));
    expect([await found(at('p', 'both')), await found(at('p', 'both', 'file'))]).toEqual([
      [slot.uid, '775'],
      [slot.uid, '664'],
    ]);
    expect(run(other, at('p', 'both'), 'echo 2 >> file; rmdir deep; ls closed').stderr).toMatch(/closed.*denied/);
    expect(run(slot, at('p', 'both'), 'cat file; ls').stdout).toBe('1\n2\nclosed\nfile\n');
  });

  test('of one job go with its attempts from slot to slot, until its follow-ups work there too', async () => {
    const job = aJob();
    const own = at('p', job.id);
    await lend(slot, own, job);
    run(slot, own, 'mkdir deep; echo 1 > deep/file');
    await lend(other, own, job);
    expect([await found(own), await found(join(own, 'deep', 'file'))]).toEqual([
      [other.uid, '700'],
      [other.uid, '664'],
    ]);
    const followUp = aJob({ folder_of: job.id });
    expect(await lend(slot, own, followUp)).toBe(own);
    expect([await found(own), await found(join(own, 'deep'))]).toEqual([
      [other.uid, '770'],
      [other.uid, '775'],
    ]);
    expect(run(slot, own, 'echo 2 >> deep/file').status).toBe(0);
    // A follow-up may run there now.
    await lend(slot, own, job);
    expect(await found(own)).toEqual([other.uid, '770']);
    expect(run(other, own, 'cat deep/file').stdout).toBe('1\n2\n');
  });

  test('of one job are closed between its attempts, also to the account that they were lent to', async () => {
    const job = aJob();
    const own = at('p', job.id);
    const first = foldersFor(slot);
    await first.lend(own, job);
    run(slot, own, 'mkdir deep; echo 1 > deep/file; chmod 777 .');
    await chown(join(own, 'deep'), other.uid, other.gid);
    await first.close();
    expect([await found(own), run(slot, at('p'), `ls ${job.id}; echo x > ${job.id}/x`).stderr]).toEqual([
      [0, '700'],
      expect.stringMatching(/Permission denied.*Permission denied/s),
    ]);
    // The same account gets it back without a walk, another one with all that is in it.
    const contents = async () => [
      await found(own),
      await found(join(own, 'deep')),
      await found(join(own, 'deep/file')),
    ];
    await lend(slot, own, job);
    expect(await contents()).toEqual([
      [slot.uid, '700'],
      [other.uid, '775'],
      [slot.uid, '664'],
    ]);
    expect((await stat(own)).gid).toBe(slot.gid);
    const second = foldersFor(other);
    await second.lend(own, job);
    // It was lost: another attempt works there.
    await first.lend(at('p', 'shared'), job);
    await first.close();
    const all = [
      [other.uid, '700'],
      [other.uid, '775'],
      [other.uid, '664'],
    ];
    expect([await contents(), await found(at('p', 'shared'))]).toEqual([all, [slot.uid, '775']]);
    await second.close();
    await lend(other, own, job);
    expect(await contents()).toEqual(all);
  });

  test('of one job are taken whole after a worker has died over that', async () => {
    const job = aJob();
    const own = at('p', job.id);
    await lend(slot, own, job);
    run(slot, own, 'echo 1 > file');
    await chown(own, 0, 0);
    await lend(other, own, job);
    expect([await found(own), await found(join(own, 'file'))]).toEqual([
      [other.uid, '700'],
      [other.uid, '664'],
    ]);
  });

  test('of one job stay open once its follow-ups work there, also if they were closed before', async () => {
    const job = aJob();
    const own = at('p', job.id);
    const first = foldersFor(slot);
    await first.lend(own, job);
    run(slot, own, 'echo 1 > file');
    await first.close();
    const followUp = foldersFor(other);
    await followUp.lend(own, aJob({ folder_of: job.id }));
    expect([run(other, own, 'echo 2 >> file').status, await found(own)]).toEqual([0, [slot.uid, '770']]);
    expect((await stat(own)).gid).toBe(slot.gid);
    await followUp.close();
    await first.lend(own, job);
    await first.close();
    expect([run(other, own, 'cat file').stdout, await found(own)]).toEqual(['1\n2\n', [slot.uid, '770']]);
  });

  test('lead nowhere else, however fast links and renames come in between', async () => {
    const victim = join(folder, 'victim');
    await mkdir(join(victim, 'below'), { recursive: true });
    await writeFile(join(victim, 'file'), '', { mode: 0o600 });
    const [job, mine] = [aJob(), aJob()];
    const theirs = at('p', job.id);
    await lend(slot, theirs, job);
    await lend(other, at('p', mine.id), mine);
    await lend(other, at('p', 'dir', 'sub', 'below'));
    const swaps = `$SIG{TERM} = sub { exit }; print "up\\n"; while (1) {
      rename "sub", "x"; symlink $ARGV[0], "sub"; unlink "sub"; symlink $ARGV[1], "sub"; unlink "sub"; rename "x", "sub";
      rename "sub/below", "sub/x"; symlink $ARGV[0], "sub/below"; unlink "sub/below"; rename "sub/x", "sub/below";
    }`;
    const swapper = await startPerl(other, at('p', 'dir'), [swaps, victim, theirs]);
    let refused = 0;
    const user = aJob();
    try {
      for (let round = 0; round < 1_000; round += 1)
        await lend(slot, at('p', 'dir', 'sub', 'below'), user).catch(() => {
          refused += 1;
        });
    } finally {
      swapper.kill('SIGKILL');
      await once(swapper, 'exit');
    }
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(1_000);
    expect([await found(victim), await found(join(victim, 'below')), await found(join(victim, 'file'))]).toEqual([
      [0, '755'],
      [0, '755'],
      [0, '600'],
    ]);
    expect([
      await readdir(victim),
      await readdir(theirs),
      await found(theirs),
      (await stat(at('p', 'dir'))).uid,
    ]).toEqual([['below', 'file'], [], [slot.uid, '700'], other.uid]);
  });

  test('take nothing else along, however fast their content is swapped', async () => {
    const victim = join(folder, 'victim');
    await mkdir(victim);
    for (const name of ['a', 'b']) await writeFile(join(victim, name), '');
    const job = aJob();
    const own = at('p', job.id);
    await lend(slot, own, job);
    const swaps = `print "up\\n"; while (1) {
      mkdir "a"; open(F, ">", "a/a"); close F; rename "a", "x"; symlink $ARGV[0], "a"; unlink "a"; rename "x", "a";
      unlink "a/a"; symlink "$ARGV[0]/a", "a/a"; unlink "a/a"; rmdir "a";
    }`;
    // One that has been left from an earlier attempt, of the same account on another worker.
    const swapper = await startPerl(slot, own, [swaps, victim]);
    try {
      for (let round = 0; round < 500; round += 1) {
        await lend(other, own, job);
        await chown(own, slot.uid, slot.gid);
      }
    } finally {
      swapper.kill('SIGKILL');
      await once(swapper, 'exit');
    }
    expect([await found(victim), await found(join(victim, 'a'))]).toEqual([
      [0, '755'],
      [0, '644'],
    ]);
  });
});

/** Resolves when a script has begun what it does: it says so. */
async function startPerl(
  account: ServiceAccount,
  cwd: string,
  [script = '', ...args]: string[],
): Promise<ChildProcess> {
  const { child, started } = startUnder(account, '/usr/bin/perl', ['-e', `$| = 1; ${script}`, ...args], {
    cwd,
    env: { LANG: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (child.stdout === null) throw new Error('its output is not read');
  await Promise.all([started, once(child.stdout, 'data')]);
  return child;
}
