import type { Logger } from '@aws-lambda-powertools/logger';
import { createReconciler } from '../../lib/composition/services.ts';
import { objectClient, queueClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { triggerEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { type RemovalContext, removeEndedJobs } from '../../lib/reconciler/remove-jobs.ts';

let context: (RemovalContext & { readonly days: number }) | undefined;

/** Runs every hour: deletes jobs that ended longer ago than the retention period. */
export const handler = handleTrigger('sweep-jobs', sweepJobs);

async function sweepJobs(_event: unknown, log: Logger): Promise<{ removed: number }> {
  if (context === undefined) {
    const env = readEnv(triggerEnv);
    const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
    const table = tableClient();
    context = {
      ...createReconciler({ env, ...table, objects, queues: queueClient() }),
      table: table.table,
      jobsTable: env.JOBS_TABLE,
      objects,
      bucket: env.OUTPUT_BUCKET,
      days: env.PROMPTQ_RETENTION_DAYS,
    };
  }
  const removed = context.days === 0 ? 0 : await removeEndedJobs(context, context.days);
  if (removed > 0) log.info('deleted jobs after the retention period', { removed, days: context.days });
  return { removed };
}
