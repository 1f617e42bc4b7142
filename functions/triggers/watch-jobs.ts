import { objectClient, queueClient, tableClient } from '../../lib/aws/clients.ts';
import { readEnv, triggerEnv } from '../../lib/config/env.ts';
import { openWatch } from '../../lib/jobs/open-watch.ts';
import { watchParked } from '../../lib/jobs/parked-jobs.ts';
import { watchChildren } from '../../lib/jobs/settle-attempt.ts';
import { redrive, type WatchContext, watchReady, watchRunning } from '../../lib/jobs/watch-jobs.ts';

let context: WatchContext | undefined;

/**
 * Every minute: settles running jobs whose worker was lost, makes follow-up jobs that are missing, lets a parked job try,
 * puts back what the queues gave up, and sees to it that no waiting job is forgotten.
 */
export async function handler(event: { readonly redrive?: boolean } = {}): Promise<void> {
  if (context === undefined) {
    const env = readEnv(triggerEnv);
    const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
    context = openWatch({ env, ...tableClient(), objects, queues: queueClient() });
  }
  await watchRunning(context);
  await watchChildren(context);
  await watchParked(context);
  await context.permits.redeliver();
  await (event.redrive === true ? redrive(context) : watchReady(context));
}
