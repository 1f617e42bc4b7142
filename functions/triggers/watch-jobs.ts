import type { Logger } from '@aws-lambda-powertools/logger';
import { AccountStore } from '../../lib/accounts/account-store.ts';
import { watchAccounts } from '../../lib/accounts/reconcile-accounts.ts';
import { type WatchDeploymentsContext, watchDeployments } from '../../lib/deployments/reconcile-deployments.ts';
import { objectClient, queueClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { readEnv, triggerEnv } from '../../lib/platform/config/env.ts';
import { tell } from '../../lib/platform/operations/emit-metrics.ts';
import { serveTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { openWatch } from '../../lib/reconciler/open-reconciler.ts';
import type { WatchContext } from '../../lib/reconciler/reconcile-jobs.ts';
import { watch } from '../../lib/reconciler/reconciler.ts';
import { WaitingJobs } from '../../lib/reconciler/waiting-jobs.ts';

let context: (WatchContext & WatchDeploymentsContext & { readonly watchAccounts: () => Promise<void> }) | undefined;

/** Every minute: looks after all jobs, what deploy bindings do on them, and the logins of vendor accounts. */
export const handler = serveTrigger('watch-jobs', watchJobs);

async function watchJobs(event: { readonly redrive?: boolean } = {}, log: Logger): Promise<void> {
  if (context === undefined) {
    const env = readEnv(triggerEnv);
    const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
    const { table, clock } = tableClient();
    const accounts = new AccountStore({ table, registryTable: env.REGISTRY_TABLE, clock, world: env.PROMPTQ_VENDOR });
    context = {
      ...openWatch({ env, table, clock, objects, queues: queueClient() }),
      watchAccounts: () => watchAccounts(accounts, env.PROMPTQ_ACCOUNT_VENDORS),
    };
  }
  const waiting = new WaitingJobs(context.clock);
  const { settled, givenUp } = await watch({ ...context, byStatus: waiting.noting(context.byStatus) }, event);
  for (const { id, attempt, status, reason } of settled)
    log.warn('a running job was settled without its worker', { job_id: id, attempt, status, reason });
  if (givenUp > 0) log.warn('put back permits that the queues had given up', { permits: givenUp });
  tell({ ...waiting.metrics(), PermitsGivenUp: givenUp });
  await watchDeployments(context, { lost: event.redrive === true });
  await context.watchAccounts();
}
