import { mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { endedLogin, started, unlinked } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { CredentialFiles } from '../../../worker-container/account/credential-files.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let accounts: AccountStore;
let folder: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-credentials-'));
  accounts = new AccountStore({ ...deployment.registry, world: 'practice' });
  await accounts.change('codex', unlinked);
  await accounts.change('codex', (account) => ({ ...account, discarded: [] }));
  return async () => await rm(folder, { recursive: true });
});

/** As one worker has it. */
function files(): CredentialFiles {
  return new CredentialFiles(folder, accounts, 'codex');
}

async function link(text: string): Promise<boolean> {
  await accounts.change('codex', (account, now) => started(account, 'login', now));
  return await files().link('login', text, undefined);
}

async function generationOf(credentials: CredentialFiles): Promise<number> {
  const generation = await credentials.generation();
  if (generation === undefined) throw new Error('no account is linked');
  return generation;
}

it('of many concurrent renewals of a login one wins, and all readers get what it wrote', async () => {
  await link('first');
  const from = await generationOf(files());
  const texts = ['a', 'b', 'c', 'd', 'e'];
  const renewals = await Promise.all(texts.map((text) => files().renew(from, text)));
  const won = renewals.findIndex((generation) => generation !== undefined);
  expect(renewals.filter((generation) => generation !== undefined)).toEqual([from + 1]);
  expect(await files().read()).toEqual({ text: texts[won], generation: from + 1 });
  expect(await readdir(folder)).toHaveLength(1);
});

it('a login that completes after it was cancelled is not stored', async () => {
  await accounts.change('codex', (account, now) => started(account, 'login', now));
  await accounts.change('codex', (account) => endedLogin(account, 'login', { state: 'cancelled' }));
  expect(await files().link('login', 'unwanted', undefined)).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});

it('an unlinked login is returned to be revoked, and removed', async () => {
  await link('secret');
  await accounts.change('codex', unlinked);
  expect(await files().read()).toBeUndefined();
  const revoked: string[] = [];
  await files().discard(async (_id, text) => void revoked.push(text));
  expect([revoked, await readdir(folder), (await accounts.read('codex')).discarded]).toEqual([['secret'], [], []]);
});

it('is readable by its owner alone', async () => {
  await link('secret');
  const [name = ''] = await readdir(folder);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

it('a file that a network file system shows late is waited for, and missed after eight reads', async () => {
  await link('late');
  const [name = ''] = await readdir(folder);
  await rename(join(folder, name), join(folder, 'away'));
  setTimeout(() => void rename(join(folder, 'away'), join(folder, name)), 200);
  expect((await files().read())?.text).toBe('late');
  await rm(join(folder, name));
  let reads = 0;
  const counting = {
    read: async () => {
      reads += 1;
      return await accounts.read('codex');
    },
  } as unknown as AccountStore;
  const read = new CredentialFiles(folder, counting, 'codex').read();
  await expect(read).rejects.toThrow("the login of account codex can't be read");
  expect(reads).toBe(8);
});

it('a login whose registration fails leaves no file, and one whose answer is lost is linked', async () => {
  await accounts.change('codex', (account, now) => started(account, 'login', now));
  const failing = (isApplied: boolean) =>
    new CredentialFiles(
      folder,
      {
        read: async () => await accounts.read('codex'),
        change: async (...call: Parameters<AccountStore['change']>) => {
          if (isApplied) await accounts.change(...call);
          throw new Error('no answer');
        },
      } as unknown as AccountStore,
      'codex',
    );
  await expect(failing(false).link('login', 'lost', 'ada')).rejects.toThrow('no answer');
  expect(await readdir(folder)).toEqual([]);
  expect(await failing(true).link('login', 'kept', 'ada')).toBe(true);
  expect((await files().read())?.text).toBe('kept');
  expect((await accounts.read('codex')).credential?.account).toBe('ada');
});

it('files that no worker has registered within an hour are removed', async () => {
  const lost = new Date(Date.now() - 61 * 60_000);
  const recent = new Date(Date.now() - 59 * 60_000);
  await files().prepare();
  await link('discarded');
  await link('current');
  await link('current');
  const known = await readdir(folder);
  expect(known.length).toBeGreaterThan(1);
  for (const name of known) await utimes(join(folder, name), lost, lost);
  for (const [name, at] of [
    ['lost', lost],
    ['recent', recent],
  ] as const) {
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), at, at);
  }
  await files().prepare();
  expect((await readdir(folder)).toSorted()).toEqual([...known, 'recent'].toSorted());
});

it('the folder of logins is there before the first login, and can be entered by its owner alone', async () => {
  const inside = new CredentialFiles(join(folder, 'new'), accounts, 'codex');
  await inside.prepare();
  expect(await readdir(join(folder, 'new'))).toEqual([]);
  await accounts.change('codex', (account, now) => started(account, 'login', now));
  await inside.link('login', 'secret', undefined);
  expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
});
