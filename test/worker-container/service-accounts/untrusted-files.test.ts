import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync } from 'node:fs';
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { started } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { AttachmentStore } from '../../../lib/jobs/output/attachments/attachment-store.ts';
import { PracticeLogins } from '../../../lib/local/practice-vendor/logins.ts';
import { AttemptLogin, recoverRenewal } from '../../../worker-container/account/attempt-login.ts';
import { CredentialFiles } from '../../../worker-container/account/credential-files.ts';
import { findAttachments } from '../../../worker-container/attachments/find-attachments.ts';
import { keepAttachments } from '../../../worker-container/attachments/keep-attachments.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import {
  giveTree,
  putFile,
  readOwned,
  removeTree,
  takeTree,
} from '../../../worker-container/service-accounts/untrusted-files.ts';
import { emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { describeAsRoot, newAccounts, UNDER_WORKER_RIGHTS } from './as-root.ts';

const UNTRUSTED_FILES = new URL('../../../worker-container/service-accounts/untrusted-files.ts', import.meta.url).href;

describeAsRoot('what a slot has left', () => {
  const [slot, other] = newAccounts(2).slots as [ServiceAccount, ServiceAccount];
  const isSlot = (uid: number) => uid === slot.uid;
  let folder: string;
  let theirs: string;
  let secret: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    [theirs, secret] = [join(folder, 'theirs'), join(folder, 'secret')];
    await mkdir(theirs);
    await chown(theirs, slot.uid, slot.gid);
    await writeFile(secret, 'secret', { mode: 0o600 });
  });
  afterEach(async () => await rm(folder, { recursive: true }));
  const owner = async (path: string) => (await lstat(path)).uid;

  test("is read only if its owner is the slot's account", async () => {
    const path = (name: string) => join(theirs, name);
    await writeFile(path('file'), 'text');
    await giveTree(theirs, slot);
    expect(await readOwned(path('file'), isSlot)).toBe('text');
    await symlink(secret, path('link'));
    await symlink(folder, path('folder'));
    await link(secret, path('hard-link'));
    await writeFile(path('large'), Buffer.alloc(2_000_000));
    await chown(path('large'), slot.uid, slot.gid);
    execFileSync('mkfifo', [path('pipe')]);
    for (const name of ['link', 'folder/secret', 'hard-link', 'large', 'pipe', 'folder', 'missing'])
      expect(await readOwned(path(name), isSlot), name).toBeUndefined();
  });

  test('is removed with the rights of a deployed worker, even from a folder in which only owners remove files', async () => {
    const sticky = join(theirs, 'tmp');
    await mkdir(sticky);
    await writeFile(join(sticky, 'file'), 'text');
    await giveTree(theirs, slot);
    await chmod(sticky, 0o1777);
    const remove = `import { removeTree } from '${UNTRUSTED_FILES}'; await removeTree(process.argv[1]);`;
    const [command = '', ...args] = UNDER_WORKER_RIGHTS;
    execFileSync(command, [...args, process.execPath, '--input-type=module', '--eval', remove, theirs]);
    expect(await readdir(folder)).toEqual(['secret']);
  });

  test('is replaced if a file is written to the path of a link', async () => {
    await symlink(secret, join(theirs, 'config'));
    await putFile(join(theirs, 'config'), 'ours');
    expect([await readFile(secret, 'utf8'), await readFile(join(theirs, 'config'), 'utf8')]).toEqual([
      'secret',
      'ours',
    ]);
    expect(await readdir(theirs)).toEqual(['config']);
  });

  test('is removed, and changes its owner, without following links', async () => {
    await symlink(secret, join(theirs, 'link'));
    await symlink(folder, join(theirs, 'folder'));
    for (const name of ['link', 'folder']) await lchown(join(theirs, name), slot.uid, slot.gid);
    await takeTree(theirs, other);
    expect([await owner(join(theirs, 'link')), await owner(folder), await owner(secret)]).toEqual([other.uid, 0, 0]);
    await removeTree(theirs);
    expect(await readdir(folder)).toEqual(['secret']);
  });

  test("changes its owner, except hard links to others' files and files of no account", async () => {
    const [own, notText] = [join(theirs, 'deep', 'own'), Buffer.from(join(theirs, '\xff'), 'latin1')];
    await mkdir(join(theirs, 'deep'));
    for (const path of [own, notText]) await writeFile(path, '');
    await giveTree(join(theirs, 'deep'), slot);
    await lchown(notText, slot.uid, slot.gid);
    const neighbours = join(folder, 'neighbours');
    await writeFile(neighbours, '');
    await chown(neighbours, slot.uid, slot.gid);
    await writeFile(join(theirs, 'deep', 'roots'), '');
    await link(secret, join(theirs, 'deep', 'secret'));
    await link(neighbours, join(theirs, 'deep', 'neighbours'));
    await takeTree(theirs, other);
    expect([await owner(own), (await lstat(notText)).uid, await owner(theirs)]).toEqual(
      Array.from({ length: 3 }, () => other.uid),
    );
    expect([await owner(secret), await owner(neighbours), await owner(join(theirs, 'deep', 'roots'))]).toEqual([
      0,
      slot.uid,
      0,
    ]);
  });

  test("is no attachment if it is a hard link to another owner's file", async () => {
    await writeFile(join(theirs, 'own'), 'x');
    await link(join(theirs, 'own'), join(theirs, 'own-again'));
    await giveTree(theirs, slot);
    await link(secret, join(theirs, 'not-own'));
    const { files, left } = await findAttachments(theirs, LIMITS.attachments, slot.uid);
    expect(files.map(({ path }) => path)).toEqual(['own', 'own-again']);
    expect([...left]).toEqual([['kind', 1]]);
  });

  test("is no longer an attachment once its path leads through a link to another owner's file", async () => {
    const deployment = await emulateDeployment();
    try {
      const names = Array.from({ length: 8 }, (_, n) => `file-${n}`);
      for (const name of names) await writeFile(join(theirs, name), 'theirs');
      await mkdir(join(theirs, 'folder'));
      await writeFile(join(theirs, 'folder', 'secret'), 'theirs');
      await giveTree(theirs, slot);
      await mkdir(join(theirs, '.promptq'));
      await writeFile(join(theirs, '.promptq', 'setup.log'), "the worker's");
      const { objects: s3, env } = deployment;
      const sent: unknown[] = [];
      // Another slot's job waits for the first file to be sent.
      s3.middlewareStack.add(
        (next) => async (args) => {
          if (sent.length === 0) {
            renameSync(join(theirs, 'folder'), join(theirs, 'moved'));
            symlinkSync(folder, join(theirs, 'folder'));
          }
          sent.push((args.input as { Body?: unknown }).Body?.toString());
          return await next(args);
        },
        { step: 'initialize' },
      );
      const kept = keepAttachments({
        ...{ s3, bucket: env.OUTPUT_BUCKET, index: new AttachmentStore(s3, env.OUTPUT_BUCKET) },
        ...{ jobId: 'job', attempt: 1, folder: theirs, owner: slot.uid },
        ...{ redaction: new Redaction(), signal: AbortSignal.timeout(60_000), onFailure: () => undefined },
      });
      expect((await kept).warnings).toEqual(["attachments: not kept, because it can't be read: folder/secret"]);
      // The last is the list of them.
      expect(new Set(sent.slice(0, -1))).toEqual(new Set(["the worker's", 'theirs']));
    } finally {
      await deployment.stop();
    }
  });

  test("is no login if it is a link, or another owner's; and the worker writes nothing beside it", async () => {
    const deployment = await emulateDeployment();
    try {
      const accounts = new AccountStore({ ...deployment.registry, world: 'practice' });
      const credentials = new CredentialFiles(join(folder, 'account'), accounts, 'codex');
      const vendor = await PracticeLogins.open(undefined);
      const auth = async () => JSON.stringify({ tokens: await vendor.grant('one') });
      const first = await auth();
      await accounts.change('codex', (account, now) => started(account, 'login', now));
      await credentials.link('login', first, undefined);
      const attempt = join(folder, 'attempt');
      const options = { account: slot, onFailure: () => undefined };
      const copy = await AttemptLogin.copyInto(attempt, credentials, options);
      const home = join(attempt, 'agent', 'codex-home');
      await giveTree(join(attempt, 'agent'), slot);
      const renewed = await auth();
      await writeFile(secret, renewed);
      await rm(join(home, 'auth.json'));
      await symlink(secret, join(home, 'auth.json'));
      await copy.close();
      await recoverRenewal(attempt, credentials, isSlot);
      expect((await credentials.read())?.text).toBe(first);

      // A login that the CLI renewed is valid.
      await rm(join(home, 'auth.json'));
      await writeFile(join(home, 'auth.json'), renewed);
      await chown(join(home, 'auth.json'), slot.uid, slot.gid);
      await copy.close();
      expect((await credentials.read())?.text).toBe(renewed);
      expect(await readdir(home)).toEqual(['auth.json']);
    } finally {
      await deployment.stop();
    }
  });
});
