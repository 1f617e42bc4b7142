import { withoutLostLogin } from '../../lib/accounts/account.ts';
import { cancelLogin, viewAccount } from '../../lib/accounts/read-account.ts';
import { createAccounts, requireListed } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { cancelCodexLogin as route } from '../../lib/contract/routes/account.ts';

/** `POST /codex-account/cancel` */
export const handler = handle(route, createAccounts, async (_input, { core }, accounts) => {
  requireListed(core, 'codex');
  const cancelled = await cancelLogin(accounts);
  if (cancelled !== undefined) return { body: viewAccount(accounts, 'codex', cancelled) };
  const { state } = viewAccount(accounts, 'codex', await accounts.change('codex', withoutLostLogin));
  throw ApiError.because('invalid_state', `no login is in progress; the account is ${state}`, {
    state,
    action: 'cancel',
  });
});
