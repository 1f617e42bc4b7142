import Steps, { type StepsProps } from '@cloudscape-design/components/steps';
import { TimeAgo } from '../../layout/time-ago.tsx';
import { statusText } from '../job-status.tsx';
import { DEPLOYMENT_TYPES } from './job-deployments.tsx';
import type { Job } from './job-query.ts';

/** What has happened to a job so far, in order. */
export function JobTimeline({ job }: { job: Job }) {
  const steps = [...happened(job)].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <Steps
      ariaLabel="Timeline"
      steps={steps.map(({ status, header, at, note }) => ({
        status,
        header,
        details: (
          <>
            <TimeAgo at={at} />
            {note !== undefined && `, ${note}`}
          </>
        ),
      }))}
    />
  );
}

interface Happening {
  readonly status: StepsProps.Status;
  readonly header: string;
  readonly at: string;
  readonly note?: string | undefined;
}

/** Some at the same instant: then in this order. */
function* happened(job: Job): Iterable<Happening> {
  const { status, attempt, queued_at, started_at, cancel_requested_at, finished_at, worker_id } = job;
  // Given back by its worker, so that its place in the queue is the old one.
  const parked = status === 'QUEUED' && started_at !== null && queued_at !== null && started_at >= queued_at;
  yield { status: 'success', header: 'Created', at: job.created_at, note: `by ${job.created_by}` };
  if (attempt > 1) {
    yield {
      status: 'stopped',
      header: attempt === 2 ? 'Attempt 1 ended' : `Attempts 1 to ${attempt - 1} ended`,
      at: queued_at ?? job.created_at,
      note: 'their output is kept: choose the attempt above the log',
    };
  }
  if (queued_at !== null) {
    const waiting = status === 'QUEUED' && !parked;
    yield {
      status: waiting ? 'pending' : 'success',
      header: attempt > (waiting ? 0 : 1) ? 'Queued again' : 'Queued',
      at: queued_at,
      note: waiting ? job.state_reason.message : undefined,
    };
  }
  if (started_at !== null) {
    yield {
      status: status === 'RUNNING' ? 'in-progress' : 'success',
      header: `Attempt ${attempt} started`,
      at: started_at,
      note: worker_id === null ? undefined : `by worker ${worker_id}`,
    };
  }
  if (parked) yield { status: 'pending', header: 'Waits again', at: job.updated_at, note: job.state_reason.message };
  if (cancel_requested_at !== null) yield { status: 'stopped', header: 'Asked to end', at: cancel_requested_at };
  if (finished_at !== null) {
    yield {
      status: ENDS[status] ?? 'stopped',
      header: statusText(status),
      at: finished_at,
      note: job.state_reason.message,
    };
  }
  for (const { name, state, started_at: began, finished_at: ended, error } of job.deployments) {
    const at = ended ?? began ?? finished_at;
    if (at === null) continue;
    yield { status: DEPLOYMENT_TYPES[state], header: `Deployment ${name}: ${state}`, at, note: error };
  }
}

const ENDS: Partial<Record<Job['status'], StepsProps.Status>> = { SUCCEEDED: 'success', FAILED: 'error' };
