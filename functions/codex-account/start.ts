import { randomUUID } from 'node:crypto';
import { started } from '../../lib/accounts/account.ts';
import { readAccount } from '../../lib/accounts/read-account.ts';
import type { Core } from '../../lib/api/runtime/core.ts';
import { createAccountReading, requireListed } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { startCodexLogin as route } from '../../lib/contract/routes/account.ts';
import { createWakeScaling } from '../../lib/workers/scaling/wake-scaling.ts';

const open = (core: Core) => ({ ...createAccountReading(core), wakeScaling: createWakeScaling(core.env) });

/** `POST /codex-account/start` */
export const handler = handle(route, open, async (_input, { core }, context) => {
  requireListed(core, 'codex');
  // Detects a login whose process has died, so that it is not returned as the current one.
  await readAccount(context, 'codex');
  const id = randomUUID();
  await context.accounts.change('codex', (account, now) => started(account, id, now));
  // Otherwise the next scheduled decision, within a minute, starts a worker; it also makes up for a failure here.
  await context
    .wakeScaling()
    .catch((error: Error) =>
      core.log.warn('the worker will be launched by the next scheduled decision, within a minute', error),
    );
  return { body: await readAccount(context, 'codex') };
});
