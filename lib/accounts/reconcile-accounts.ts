import type { AccountVendor } from '../contract/vendors.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { withoutLostLogin } from './account.ts';
import type { AccountStore } from './account-store.ts';

/** Corrects logins that are recorded as in progress although no process runs them. Clients may never read them. */
export async function reconcileAccounts(accounts: AccountStore, vendors: readonly AccountVendor[]): Promise<void> {
  for (const vendor of vendors) await skipDamaged(`account ${vendor}`, () => accounts.change(vendor, withoutLostLogin));
}
