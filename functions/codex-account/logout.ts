import { unlinked } from '../../lib/account/account.ts';
import { viewAccount } from '../../lib/account/read-account.ts';
import { logoutCodexAccount as route } from '../../lib/contract/routes/account.ts';
import { openAccounts, requireListed } from '../../lib/http/open-accounts.ts';
import { serve } from '../../lib/http/serve.ts';

/** `DELETE /codex-account` */
export const handler = serve(route, openAccounts, async (_input, { core }, accounts) => {
  requireListed(core, 'codex');
  return { body: viewAccount(accounts, 'codex', await accounts.change('codex', unlinked)) };
});
