import Steps, { type StepsProps } from '@cloudscape-design/components/steps';
import { duration, TimeAgo } from '../../layout/time-ago.tsx';
import { statusText } from '../job-status.tsx';
import { DEPLOYMENT_TYPES } from './job-deployments.tsx';
import type { Job } from './job-query.ts';

/** What has happened to a job so far, in order: how long it waited and ran, and how it ended. */
export function JobHistory({ job }: { job: Job }) {
  const steps = [...happened(job)].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <Steps
      ariaLabel="History"
      steps={steps.map(({ status, header, at, note }) => ({
        status,
        header,
        details: (
          <>
            <ClockTime at={at} />
            {note !== undefined && `, ${note}`}
          </>
        ),
      }))}
    />
  );
}

/** The time of day beside how long ago: the events of a short job are all as long ago. */
function ClockTime({ at }: { at: string }) {
  return (
    <>
      {new Date(at).toLocaleTimeString()} (<TimeAgo at={at} />)
    </>
  );
}

interface Happening {
  readonly status: StepsProps.Status;
  readonly header: string;
  readonly at: string;
  readonly note?: string | undefined;
}

/** Some happen at the same instant: then in this order. */
function* happened(job: Job): Iterable<Happening> {
  const { status, attempt, queued_at, started_at, cancel_requested_at, finished_at, worker_id } = job;
  // Released by its worker, so it keeps its place in the queue.
  const parked = status === 'QUEUED' && started_at !== null && queued_at !== null && started_at >= queued_at;
  const hasStarted = started_at !== null && (parked || status !== 'QUEUED');
  yield { status: 'success', header: 'Created', at: job.created_at, note: `by ${job.created_by}` };
  if (attempt > 1) {
    yield {
      status: 'stopped',
      header: attempt === 2 ? 'Attempt 1 ended' : `Attempts 1 to ${attempt - 1} ended`,
      at: queued_at ?? job.created_at,
      note: 'choose the attempt above the log to read its output',
    };
  }
  if (queued_at !== null) {
    const waiting = status === 'QUEUED' && !parked;
    const note = waiting
      ? job.state_reason.message
      : hasStarted
        ? `waited ${between(queued_at, started_at)}`
        : undefined;
    yield {
      status: waiting ? 'pending' : 'success',
      header: attempt > (waiting ? 0 : 1) ? 'Re-queued' : 'Queued',
      at: queued_at,
      note,
    };
  }
  if (started_at !== null) {
    yield {
      status: status === 'RUNNING' ? 'in-progress' : 'success',
      header: `Attempt ${attempt} started`,
      at: started_at,
      note: worker_id === null ? undefined : `on worker ${worker_id}`,
    };
  }
  if (parked) yield { status: 'pending', header: 'Re-queued', at: job.updated_at, note: job.state_reason.message };
  if (cancel_requested_at !== null) yield { status: 'stopped', header: 'Cancel requested', at: cancel_requested_at };
  if (finished_at !== null) {
    const took = hasStarted ? `after ${between(started_at, finished_at)}: ` : '';
    yield {
      status: ENDS[status] ?? 'stopped',
      header: attempt > 0 ? `Attempt ${attempt} ended: ${statusText(status)}` : statusText(status),
      at: finished_at,
      note: `${took}${job.state_reason.message}`,
    };
  }
  for (const { name, state, started_at: began, finished_at: ended, error } of job.deployments) {
    const at = ended ?? began ?? finished_at;
    if (at === null) continue;
    yield { status: DEPLOYMENT_TYPES[state], header: `Deployment ${name}: ${state}`, at, note: error };
  }
}

function between(from: string, to: string): string {
  return duration(Date.parse(to) - Date.parse(from));
}

const ENDS: Partial<Record<Job['status'], StepsProps.Status>> = { SUCCEEDED: 'success', FAILED: 'error' };
