import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { endedLogin, started, unlinked } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { CredentialFiles } from '../../../worker-container/account/credential-files.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';

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

it('a read during a renewal returns a complete login', async () => {
  await link('0');
  const reader = files();
  let isDone = false;
  const reading = (async () => {
    const seen = new Set<string | undefined>();
    while (!isDone) seen.add((await reader.read())?.text);
    return seen;
  })();
  for (let round = 1; round <= 20; round += 1)
    expect(await files().renew(await generationOf(files()), String(round))).toBeDefined();
  isDone = true;
  for (const text of await reading) expect(text).toMatch(/^\d+$/);
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

it('logins of the practice vendor and of the real one are separate', async () => {
  await link('practice');
  const real = new AccountStore({ ...deployment.registry, world: 'real' });
  expect((await real.read('codex')).credential).toBeUndefined();
});
