import type { Route, RouteInput } from '../contract/route.ts';
import type { cancelJob, killJob } from '../contract/routes/jobs.ts';
import type { JobView, job as jobSchema } from '../contract/schemas/jobs/job.ts';
import { viewDeployments } from '../deployments/view-deployments.ts';
import { actInThread } from '../jobs/admission/thread-slot.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { JobEvent } from '../jobs/lifecycle/job-event.ts';
import { endJob } from '../jobs/trees/act-on-tree.ts';
import { viewJob } from '../jobs/views/job-view.ts';
import type { TimeoutUnit } from '../platform/config/core-env.ts';
import type { Answer } from './answer.ts';
import type { Core } from './runtime/core.ts';
import { type createJobBody, createTransitions } from './runtime/services.ts';
import { handleJob } from './serve.ts';

/** A route that acts on a job and answers with the updated job. */
type ActionRoute = Route & {
  readonly responses: { readonly 200: { readonly description: string; readonly schema: typeof jobSchema } };
};

/**
 * The handler of an action on a job: `action` is its name in the API.
 * @param eventOf the event by the request's body
 * @param check called before the action; rejects what must not happen
 */
export function serveAction<R extends ActionRoute>(
  route: R,
  action: string,
  eventOf: JobEvent | ((body: RouteInput<R>['body']) => JobEvent),
  check?: (context: ReturnType<typeof createTransitions> & Pick<Core, 'registry'>, job: Job) => Promise<void>,
) {
  return handleJob(route, createTransitions, async (input: RouteInput<R>, { core }, context, found) => {
    const event = typeof eventOf === 'function' ? eventOf(input.body) : eventOf;
    const job = await found;
    await check?.({ ...context, registry: core.registry }, job);
    const onFailure = (error: unknown) =>
      core.log.warn('the thread was not continued; reconcile-jobs continues it', error as Error);
    const changed = await actInThread(context, job, event, { action, onFailure });
    const body = await wholeView(changed, context, core.env.PROMPTQ_TIMEOUT_UNIT);
    // The type parameter hides that it is the body of every route of this kind.
    return { body: body as Answer<R>['body'] };
  });
}

/** The handler of an action that ends a job, and with `tree` its descendants. */
export function serveEnding(route: typeof cancelJob | typeof killJob, action: 'cancel' | 'kill') {
  return handleJob(route, createTransitions, async (input, { core }, context, found) => {
    const onFailure = (error: unknown) =>
      core.log.warn('the thread was not continued; reconcile-jobs continues it', error as Error);
    const { job, cancelled } = await endJob(context, await found, { action, tree: input.body.tree, onFailure });
    const view = await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT);
    return { body: { ...view, cancelled_jobs: cancelled } };
  });
}

/** The fields that only `GET /jobs/{id}` returns, and the job that it waits for. */
type FurtherFields = Pick<JobView, 'queue' | 'attempts'> & Pick<Job, 'waits_for'>;

/** A job with all records stored beside its item. */
export async function wholeView(
  job: Job,
  context: ReturnType<typeof createJobBody>,
  timeoutUnit: TimeoutUnit,
  further?: Promise<FurtherFields>,
): Promise<JobView> {
  const [[annotated = job], texts, labels, deployments, receipt, also] = await Promise.all([
    context.waiting.annotate([job]),
    context.texts.get(job),
    context.texts.labels.of(job),
    viewDeployments(context, job),
    job.has_changes === true ? context.readReceipt(job.id, job.attempt) : undefined,
    further,
  ]);
  const { waits_for = annotated.waits_for, ...fields } = also ?? {};
  const shown = { ...annotated, waits_for };
  return {
    ...viewJob(shown, texts, timeoutUnit, { labels, deployments, keeping: context, changes: receipt?.changes }),
    ...fields,
  };
}
