import { readAccount } from '../../lib/account/read-account.ts';
import { readCodexAccount as route } from '../../lib/contract/routes/account.ts';
import { openAccountReading, requireListed } from '../../lib/http/open-accounts.ts';
import { serve } from '../../lib/http/serve.ts';

/** `GET /codex-account` */
export const handler = serve(route, openAccountReading, async (_input, { core }, context) => {
  requireListed(core, 'codex');
  return { body: await readAccount(context, 'codex') };
});
