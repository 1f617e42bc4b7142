import { readAccount } from '../../lib/accounts/read-account.ts';
import { openAccountReading, requireListed } from '../../lib/api/runtime/open-accounts.ts';
import { serve } from '../../lib/api/serve.ts';
import { readCodexAccount as route } from '../../lib/contract/routes/account.ts';

/** `GET /codex-account` */
export const handler = serve(route, openAccountReading, async (_input, { core }, context) => {
  requireListed(core, 'codex');
  return { body: await readAccount(context, 'codex') };
});
