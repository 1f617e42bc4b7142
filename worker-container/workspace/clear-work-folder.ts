import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recoverRenewal } from '../account/attempt-login.ts';
import type { CredentialFiles } from '../account/credential-files.ts';
import { ownerOf, type ServiceAccounts } from '../service-accounts/service-account.ts';
import { removeAllTemporary } from './personal-files.ts';

/**
 * Removes what attempts and logins of a dead worker left, above all copies of logins. Keeps only a login that was
 * renewed just before.
 */
export async function clearWorkFolder(
  folder: string,
  credentials: CredentialFiles,
  accounts: ServiceAccounts | undefined,
): Promise<void> {
  const owners = accounts?.slots.map(ownerOf) ?? [ownerOf(undefined)];
  const attempts = join(folder, 'attempts');
  for (const name of await readdir(attempts).catch(() => []))
    await recoverRenewal(join(attempts, name), credentials, (uid) => owners.includes(uid));
  for (const left of [attempts, join(folder, 'logins')]) await rm(left, { recursive: true, force: true });
  await removeAllTemporary(attempts);
}
