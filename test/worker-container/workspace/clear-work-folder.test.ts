import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { started } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { PracticeLogins } from '../../../lib/local/practice-vendor/logins.ts';
import { AttemptLogin } from '../../../worker-container/account/attempt-login.ts';
import { CredentialFiles } from '../../../worker-container/account/credential-files.ts';
import { clearWorkFolder } from '../../../worker-container/workspace/clear-work-folder.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let folder: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
  folder = await mkdtemp(join(tmpdir(), 'promptq-work-'));
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true });
});

it('a login that was renewed just before its worker died is kept, and no copy of it stays', async () => {
  const accounts = new AccountStore({ ...deployment.registry, world: 'practice' });
  const credentials = new CredentialFiles(join(folder, 'account'), accounts, 'codex');
  const vendor = await PracticeLogins.open(undefined);
  const auth = async () => JSON.stringify({ tokens: await vendor.grant('one') });
  await accounts.change('codex', (account, now) => started(account, 'login', now));
  await credentials.link('login', await auth(), undefined);
  const attempt = join(folder, 'attempts', 'job-1');
  const copy = await AttemptLogin.copyInto(attempt, credentials, { account: undefined, onFailure: () => undefined });
  expect(copy.secrets).toHaveLength(3);
  // From here on no worker owns the copy, as after its worker has died.
  await copy.close();
  const renewed = await auth();
  await writeFile(join(attempt, 'agent', 'codex-home', 'auth.json'), renewed);

  await clearWorkFolder(folder, credentials, undefined);
  expect((await credentials.read())?.text).toBe(renewed);
  expect(await readdir(folder)).toEqual(['account']);
  const [name = ''] = await readdir(join(folder, 'account'));
  expect(await readFile(join(folder, 'account', name), 'utf8')).toBe(renewed);
});
