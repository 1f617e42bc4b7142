import type { Logger } from '@aws-lambda-powertools/logger';
import { AccountStore } from '../../lib/account/account-store.ts';
import { watchAccounts } from '../../lib/account/watch-accounts.ts';
import { objectClient, queueClient, tableClient } from '../../lib/aws/clients.ts';
import { type WatchDeploymentsContext, watchDeployments } from '../../lib/bindings/watch-deployments.ts';
import { readEnv, triggerEnv } from '../../lib/config/env.ts';
import { openWatch } from '../../lib/jobs/open-watch.ts';
import { WaitingJobs } from '../../lib/jobs/waiting-jobs.ts';
import { watch } from '../../lib/jobs/watch.ts';
import type { WatchContext } from '../../lib/jobs/watch-jobs.ts';
import { serveTrigger } from '../../lib/operations/serve-trigger.ts';
import { tell } from '../../lib/operations/tell.ts';

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
