import type { Logger } from '@aws-lambda-powertools/logger';
import { AccountStore } from '../../lib/accounts/account-store.ts';
import { reconcileAccounts } from '../../lib/accounts/read-account.ts';
import { AutomationStore } from '../../lib/automations/automation-store.ts';
import { type FireContext, fireDue } from '../../lib/automations/fire-due.ts';
import { createReconciler } from '../../lib/composition/services.ts';
import { EventFeed } from '../../lib/events/event-feed.ts';
import { FeedReaders } from '../../lib/events/feed-readers.ts';
import { createCallLater } from '../../lib/platform/aws/call-later.ts';
import { objectClient, queueClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { reconcileEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { emitMetrics } from '../../lib/platform/operations/emit-metrics.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { registryOf } from '../../lib/platform/registry.ts';
import { runDueEffects } from '../../lib/reconciler/after-attempt.ts';
import type { ReconcilerContext } from '../../lib/reconciler/reconcile-jobs.ts';
import { reconcile } from '../../lib/reconciler/reconciler.ts';
import { WaitingJobs } from '../../lib/reconciler/waiting-jobs.ts';

type PassContext = ReconcilerContext &
  FireContext & {
    readonly reconcileAccounts: () => Promise<void>;
    readonly wakeReaders: () => Promise<void>;
    readonly callAgain: (part: string) => Promise<void>;
  };

let context: PassContext | undefined;

/**
 * Runs every minute: starts jobs by schedule, reconciles jobs, what is due after their ends, and vendor logins, and wakes
 * the readers of the feed that are behind.
 */
export const handler = handleTrigger('reconcile-jobs', reconcileJobs);

/** The part of a pass that another call continues if its time is up. */
const FIRING = 'automations';

interface PassEvent {
  readonly redrive?: boolean;
  /** Only this part of a pass. */
  readonly id?: string;
}

async function reconcileJobs(event: PassEvent = {}, log: Logger): Promise<void> {
  if (context === undefined) {
    const env = readEnv(reconcileEnv);
    const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
    const { table, clock } = tableClient();
    const accounts = new AccountStore({ ...registryOf({ table, clock, env }), world: env.PROMPTQ_VENDOR });
    const registry = registryOf({ table, clock, env });
    const readers = new FeedReaders({ ...registry, feed: new EventFeed(registry) });
    const callReader = createCallLater('read-feed', env.READ_FEED_FUNCTION);
    context = {
      ...createReconciler({ env, table, clock, objects, queues: queueClient() }),
      automations: new AutomationStore(registry),
      reconcileAccounts: () => reconcileAccounts(accounts, env.PROMPTQ_ACCOUNT_VENDORS),
      callAgain: createCallLater('reconcile-jobs', env.RECONCILE_JOBS_FUNCTION),
      wakeReaders: async () => {
        await Promise.all((await readers.due()).map(callReader));
      },
    };
  }
  const opened = context;
  if (event.id === FIRING) return await fire(opened);
  const waiting = new WaitingJobs(context.clock);
  // A failure does not keep jobs from being reconciled.
  const automations = fire(opened);
  automations.catch(() => undefined);
  const { takenOver: settled, redriven: givenUp } = await reconcile(
    { ...opened, byStatus: waiting.noting(opened.byStatus) },
    event,
  );
  for (const { id, attempt, status, reason } of settled)
    log.warn('finished a running job without its worker', { job_id: id, attempt, status, reason });
  if (givenUp > 0) log.warn('redrove dead-lettered dispatch messages', { messages: givenUp });
  emitMetrics({ ...waiting.metrics(), PermitsGivenUp: givenUp });
  await doAll(log, [
    async () => await automations,
    () => runDueEffects(opened, { lost: event.redrive === true }),
    opened.wakeReaders,
    opened.reconcileAccounts,
    () => runDueEffects(opened, { slow: true }),
  ]);
}

/** Fires what is due. Where that takes longer than a call may, another call continues at once. */
async function fire(opened: PassContext): Promise<void> {
  if (!(await fireDue(opened))) await opened.callAgain(FIRING);
}

/** Does each of these, also if another one fails. @throws the first error */
async function doAll(log: Logger, parts: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) await part().catch((error: unknown) => errors.push(error));
  const [first, ...others] = errors;
  for (const error of others) log.error('failed too', error as Error);
  if (errors.length > 0) throw first;
}
