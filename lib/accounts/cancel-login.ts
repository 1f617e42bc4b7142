import { type Account, endedLogin, isUnderWay, withoutLostLogin } from './account.ts';
import type { AccountStore } from './account-store.ts';

/** Ends the codex login that is in progress. @returns the account; undefined: there is none in progress */
export async function cancelLogin(accounts: AccountStore): Promise<Account | undefined> {
  let cancelling: string | undefined;
  return await accounts.change('codex', (known, now) => {
    const account = withoutLostLogin(known, now);
    const { login } = account;
    // A write whose answer was lost is repeated, and then refused because it has taken effect.
    if (login?.state === 'cancelled' && login.id === cancelling) return known;
    if (!isUnderWay(login)) return undefined;
    cancelling = login.id;
    return endedLogin(account, login.id, { state: 'cancelled' });
  });
}
