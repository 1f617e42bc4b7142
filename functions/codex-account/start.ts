import { randomUUID } from 'node:crypto';
import { started } from '../../lib/accounts/account.ts';
import { readAccount } from '../../lib/accounts/read-account.ts';
import type { Core } from '../../lib/api/runtime/core.ts';
import { createAccountReading, requireListed } from '../../lib/api/runtime/open-accounts.ts';
import { handle } from '../../lib/api/serve.ts';
import { startCodexLogin as route } from '../../lib/contract/routes/account.ts';
import { createWakeScaling } from '../../lib/workers/scaling/wake-scaling.ts';

const open = (core: Core) => ({ ...createAccountReading(core), wakeScaling: createWakeScaling(core.env) });

/** `POST /codex-account/start` */
export const handler = handle(route, open, async (_input, { core }, context) => {
  requireListed(core, 'codex');
  // A login whose process has died without anybody asking must not be what a start is answered with.
  await readAccount(context, 'codex');
  const id = randomUUID();
  await context.accounts.change('codex', (account, now) => started(account, id, now));
  // Nobody else hears of it before the next minute; if it fails, that one makes up for it.
  await context
    .wakeScaling()
    .catch((error: Error) => core.log.warn('a worker is launched within a minute only', error));
  return { body: await readAccount(context, 'codex') };
});
