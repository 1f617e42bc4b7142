import type { AccountVendor } from '../contract/vendors.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { withoutLostLogin } from './account.ts';
import type { AccountStore } from './account-store.ts';

/** Sets right what says that a login is under way although nobody runs it: nobody may be asking. */
export async function reconcileAccounts(accounts: AccountStore, vendors: readonly AccountVendor[]): Promise<void> {
  for (const vendor of vendors) await skipDamaged(`account ${vendor}`, () => accounts.change(vendor, withoutLostLogin));
}
