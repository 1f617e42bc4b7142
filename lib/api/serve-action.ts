import { Readable } from 'node:stream';
import type { Route, RouteInput } from '../contract/route.ts';
import type { job as jobSchema } from '../contract/schemas/jobs/job.ts';
import { type JobView, job as schema } from '../contract/schemas/jobs/job.ts';
import { viewDeployments } from '../deployments/view-deployments.ts';
import { actInThread } from '../jobs/admission/act-in-thread.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { JobEvent } from '../jobs/lifecycle/job-event.ts';
import { findJob } from '../jobs/store/find-job.ts';
import { viewJob } from '../jobs/views/job-view.ts';
import type { TimeoutUnit } from '../platform/config/core-env.ts';
import { createTransitions, type JobBodyContext } from './runtime/services.ts';
import { handle } from './serve.ts';

/** A route that acts on a job and answers with the updated job. */
type ActionRoute = Route & {
  readonly responses: { readonly 200: { readonly description: string; readonly schema: typeof jobSchema } };
};

/**
 * The handler of an action on a job: `action` is its name in the API.
 * @param eventOf the event by the request's body
 */
export function serveAction<R extends ActionRoute>(
  route: R,
  action: string,
  eventOf: JobEvent | ((body: RouteInput<R>['body']) => JobEvent),
) {
  return handle(route, createTransitions, async (input: RouteInput<R>, { core }, context) => {
    const event = typeof eventOf === 'function' ? eventOf(input.body) : eventOf;
    const job = await findJob(context.jobs, String((input.params as { id: string }).id));
    const onFailure = (error: unknown) =>
      core.log.warn('the thread was not continued; reconcile-jobs continues it', error as Error);
    const changed = await actInThread(context, job, event, { action, onFailure });
    return { body: await jobBody(changed, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
  });
}

/**
 * A job as a response body; streamed because a prompt of maximum size, escaped twice, can exceed Lambda's buffered
 * limit.
 * @param read the fields that only `GET /jobs/{id}` returns
 */
export async function jobBody(
  job: Job,
  context: JobBodyContext,
  timeoutUnit: TimeoutUnit,
  read: Partial<Pick<JobView, 'queue' | 'attempts'>> = {},
): Promise<Readable> {
  const view = { ...(await wholeView(job, context, timeoutUnit)), ...read };
  return Readable.from([Buffer.from(JSON.stringify(schema.parse(view)))]);
}

/** A job with all records stored beside its item. */
export async function wholeView(job: Job, context: JobBodyContext, timeoutUnit: TimeoutUnit): Promise<JobView> {
  const [annotated = job] = await context.waiting.annotate([job]);
  const receipt = job.has_changes === true ? await context.readReceipt(job.id, job.attempt) : undefined;
  return viewJob(annotated, await context.texts.get(job), timeoutUnit, {
    labels: await context.texts.labels.of(job),
    deployments: await viewDeployments(context, job),
    changes: receipt?.changes,
  });
}
