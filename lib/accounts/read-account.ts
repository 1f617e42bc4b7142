import type { AccountView } from '../contract/schemas/account.ts';
import type { AccountVendor } from '../contract/vendors.ts';
import { skipDamaged } from '../platform/aws/skip-damaged.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { type Account, endedLogin, isUnderWay, LOST, withoutLostLogin } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { AskLogin, LoginPrompt } from './ask-login.ts';

/**
 * An account as clients read it, as a cancelled login leaves it, and as the reconciler corrects it. The record alone
 * does not tell whether a login is in progress, because the process that runs it may have died without a last write.
 * So a reader asks that process for the code, and a login whose process is gone becomes a failed one.
 */

interface AccountContext {
  readonly accounts: AccountStore;
  readonly askLogin: AskLogin;
}

/**
 * The current account, with the code if its login waits for a person. A login whose process is gone has failed. One
 * whose process answers has not, even if its lease expired: its machine may have been suspended.
 */
export async function readAccount(context: AccountContext, vendor: AccountVendor): Promise<AccountView> {
  const { accounts } = context;
  const account = await accounts.read(vendor);
  const { login } = account;
  let update = withoutLostLogin;
  if (isUnderWay(login) && login.listener !== undefined) {
    const reply = await context.askLogin({ login_id: login.id, listener: login.listener });
    if (reply.kind === 'prompt') return viewAccount(accounts, vendor, account, reply.prompt);
    // The process records how its login ended before it exits. If the record still says in progress, the process died.
    if (reply.kind === 'gone') update = (current) => endedLogin(current, login.id, LOST);
  }
  const isAsItWas = update(account, accounts.clock.now()) === account;
  return viewAccount(accounts, vendor, isAsItWas ? account : await accounts.change(vendor, update));
}

/** An account as a client sees it. */
export function viewAccount(
  { clock }: Pick<AccountStore, 'clock'>,
  vendor: AccountVendor,
  { login, credential, updated_at = timestamp(clock.now()) }: Account,
  prompt?: LoginPrompt,
): AccountView {
  const isLinked = credential !== undefined;
  const prompted = isUnderWay(login) ? prompt : undefined;
  const state = login?.state === 'starting' && prompted?.user_code !== undefined ? 'awaiting_user' : login?.state;
  return {
    vendor,
    state: state ?? (isLinked ? 'linked' : 'not_linked'),
    logged_in: isLinked,
    ...(credential?.account !== undefined && { account: credential.account }),
    ...(prompted?.user_code !== undefined && {
      verification_uri: prompted.verification_uri,
      user_code: prompted.user_code,
      expires_at: prompted.expires_at,
    }),
    ...(login?.error !== undefined && { error: login.error }),
    updated_at,
  };
}

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

/** Corrects logins that are recorded as in progress although no process runs them. Clients may never read them. */
export async function reconcileAccounts(accounts: AccountStore, vendors: readonly AccountVendor[]): Promise<void> {
  for (const vendor of vendors) await skipDamaged(`account ${vendor}`, () => accounts.change(vendor, withoutLostLogin));
}
