import { AccountStore } from '../../accounts/account-store.ts';
import { type AskLogin, createLoginReader } from '../../accounts/login-reader.ts';
import type { AccountContext } from '../../accounts/read-account.ts';
import { ApiError } from '../../contract/errors.ts';
import type { AccountVendor } from '../../contract/vendors.ts';
import type { Core } from './core.ts';

/** The deployment's vendor accounts. */
export function createAccounts({ registry, env }: Core): AccountStore {
  return new AccountStore({ ...registry, world: env.PROMPTQ_VENDOR });
}

/** The account services, including requests to running logins for their code. */
export function createAccountReading(core: Core): AccountContext & { readonly askLogin: AskLogin } {
  return { accounts: createAccounts(core), askLogin: createLoginReader(core.env) };
}

/** @throws ApiError `not_found` where the deployment does not list the vendor. */
export function requireListed({ env }: Core, vendor: AccountVendor): void {
  if (!env.PROMPTQ_ACCOUNT_VENDORS.includes(vendor)) throw ApiError.of('not_found');
}
