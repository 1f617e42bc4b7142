import { existsSync } from 'node:fs';
import { chown, lchown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { keepNamedFolder, removeLeftovers } from '../../../worker-container/service-accounts/leftover-files.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { describeAsRoot, newAccounts } from './as-root.ts';

describeAsRoot('what a slot has left in folders that all accounts share', () => {
  const [slot, other] = newAccounts(2).slots as [ServiceAccount, ServiceAccount];
  let victim: string;
  let mine: string;
  let theirs: string;
  beforeEach(async () => {
    // Not below TMPDIR, which may be elsewhere.
    [victim, mine, theirs] = [
      await mkdtemp('/tmp/victim-'),
      await mkdtemp('/tmp/mine-'),
      await mkdtemp('/tmp/theirs-'),
    ];
    for (const [path, account] of [[mine, slot] as const, [theirs, other] as const])
      await chown(path, account.uid, account.gid);
  });
  afterEach(async () => {
    for (const path of [victim, mine, theirs]) await rm(path, { recursive: true, force: true });
  });
  const put = async (path: string | Buffer, account: ServiceAccount) => {
    await writeFile(path, '');
    await chown(path, account.uid, account.gid);
  };
  const remove = async (options?: Parameters<typeof removeLeftovers>[2]) => {
    const failed: unknown[] = [];
    const folders = { workspaces: '/workspaces', roots: ['/tmp'] };
    await removeLeftovers(slot, { folders, log: { warn: (...why) => void failed.push(why) } }, options);
    return failed;
  };
  const namesIn = async (path: string) => await readdir(path).catch(() => undefined);

  test('is removed, whatever its name and however much it is, and nothing that a link leads to', async () => {
    await put(join(victim, 'file'), slot);
    await mkdir(join(mine, 'deep'));
    await chown(join(mine, 'deep'), slot.uid, slot.gid);
    for (let n = 0; n < 250; n += 1) await put(join(mine, 'deep', `file-${n}`), slot);
    await put(Buffer.concat([Buffer.from(`${mine}/`), Buffer.from([0xff, 0xfe])]), slot);
    await symlink(victim, join(mine, 'link'));
    await lchown(join(mine, 'link'), slot.uid, slot.gid);
    expect(await remove()).toEqual([]);
    expect([await namesIn(mine), await namesIn(victim), await namesIn(theirs)]).toEqual([undefined, ['file'], []]);
  });

  test('stays where it belongs to others, and is removed from their folders', async () => {
    await put(join(mine, 'of-other'), other);
    await put(join(mine, 'of-root'), { ...slot, uid: 0 });
    await put(join(mine, 'own'), slot);
    await put(join(theirs, 'own'), slot);
    await put(join(theirs, 'of-other'), other);
    expect(await remove()).toEqual([]);
    expect([(await readdir(mine)).toSorted(), await readdir(theirs)]).toEqual([['of-other', 'of-root'], ['of-other']]);
  });

  test("is removed although the other slots' jobs have more files there than are looked at", async () => {
    const last = join('/dev/shm', basename(mine));
    onTestFinished(async () => await rm(last, { force: true }));
    await put(last, slot);
    await put(join(mine, 'own'), slot);
    for (const name of ['a', 'b', 'c']) await put(join(theirs, name), other);
    expect(await remove({ mostOfOthers: 2 })).not.toEqual([]);
    expect([await namesIn(mine), await namesIn(theirs), existsSync(last)]).toEqual([undefined, ['a', 'b', 'c'], false]);
  });

  test('stays where a cwd names a folder, or may have done so before the worker started', async () => {
    await put(join(mine, 'own'), slot);
    await remove({ startedAt: Number.POSITIVE_INFINITY });
    expect(await namesIn(mine)).toEqual(['own']);
    keepNamedFolder(join(mine, 'named', 'deep'));
    await remove();
    expect(await namesIn(mine)).toEqual(['own']);
  });
});
