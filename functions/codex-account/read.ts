import { readAccount } from '../../lib/accounts/read-account.ts';
import { createAccountReading, requireListed } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readCodexAccount as route } from '../../lib/contract/routes/account.ts';

/** `GET /codex-account` */
export const handler = handle(route, createAccountReading, async (_input, { core }, context) => {
  requireListed(core, 'codex');
  return { body: await readAccount(context, 'codex') };
});
