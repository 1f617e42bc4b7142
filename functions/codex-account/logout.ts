import { unlinked } from '../../lib/accounts/account.ts';
import { viewAccount } from '../../lib/accounts/read-account.ts';
import { createAccounts, requireListed } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { logoutCodexAccount as route } from '../../lib/contract/routes/account.ts';

/** `DELETE /codex-account` */
export const handler = handle(route, createAccounts, async (_input, { core }, accounts) => {
  requireListed(core, 'codex');
  return { body: viewAccount(accounts, 'codex', await accounts.change('codex', unlinked)) };
});
