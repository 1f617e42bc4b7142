import type { AccountView } from '../contract/schemas/account.ts';
import type { AccountVendor } from '../contract/vendors.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { type Account, endedLogin, isUnderWay, LOST, withoutLostLogin } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { LoginPrompt } from './ask-login.ts';
import type { AskLogin } from './login-reader.ts';

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
