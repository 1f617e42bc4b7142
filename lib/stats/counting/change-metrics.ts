import * as z from 'zod';
import { type Job, jobItemSchema } from '../../jobs/lifecycle/job.ts';
import type { MetricName, MetricValues } from '../../platform/operations/metrics.ts';
import { countedJobSchema } from './stats-store.ts';

/** The members of a job that the table's stream is read for, for statistics and metrics. */
export const streamedJobSchema = z.object({
  ...countedJobSchema.shape,
  ...jobItemSchema.pick({ id: true, attempt: true, losses: true, worker_id: true, due_at: true }).shape,
});
export type StreamedJob = z.output<typeof streamedJobSchema>;

/** A change of a job from the table's stream. */
interface StreamedChange {
  readonly before: StreamedJob | undefined;
  readonly after: StreamedJob | undefined;
}

/** The running jobs that lost their worker in these changes, as they were before. */
export function lostJobs(changes: readonly StreamedChange[]): StreamedJob[] {
  return changes.flatMap(({ before, after }) =>
    before?.status === 'RUNNING' && (after?.losses ?? 0) > (before.losses ?? 0) ? [before] : [],
  );
}

/** The metrics of changes of jobs. A batch of the stream that is repeated is counted again. */
export function metricsOf(changes: readonly StreamedChange[]): MetricValues {
  const moved = changes.flatMap(({ before, after }) =>
    before !== undefined && after !== undefined && before.status !== after.status ? [{ before, after }] : [],
  );
  const ended = (status: Job['status']) => moved.filter(({ after }) => after.status === status).length;
  const started = moved.filter(({ before, after }) => before.status === 'QUEUED' && after.status === 'RUNNING');
  const stopped = moved.filter(({ before }) => before.status === 'RUNNING');
  return {
    JobsSucceeded: ended('SUCCEEDED'),
    JobsFailed: ended('FAILED'),
    JobsCancelled: ended('CANCELLED'),
    QueueWait: started.map(({ before, after }) => seconds(claimableSince(before), after.started_at)),
    RunTime: stopped.map(({ before, after }) => seconds(before.started_at, after.updated_at)),
    LeaseLosses: lostJobs(changes).length,
  } satisfies Partial<Record<MetricName, unknown>>;
}

/** When it was last queued, or came due: its round may have begun long before. */
function claimableSince({ updated_at, due_at = '' }: StreamedJob): string {
  return due_at > updated_at ? due_at : updated_at;
}

function seconds(from: string | undefined, to: string | undefined): number {
  return Math.max(0, Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000;
}
