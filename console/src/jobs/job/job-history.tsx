import Steps from '@cloudscape-design/components/steps';
import { duration } from '../../format/duration.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import type { Job } from '../queries/job-query.ts';
import { attemptOf, waitOf } from '../status/attempt-times.ts';
import { statusText } from '../status/job-status.tsx';
import { DEPLOYMENT_TYPES } from './job-deployments.tsx';
import {
  ATTEMPT_ENDS,
  type HistoryEvent,
  hasOutlivedAttempt,
  pastAttempts,
  resumedText,
  waitText,
} from './past-attempts.tsx';

/** The history of a job in order: waits, runs and outcome. */
export function JobHistory({ job }: { job: Job }) {
  const steps = [...happened(job)].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <Steps
      ariaLabel="History"
      steps={steps.map(({ status, header, at, isTimeKnown = true, note, link }) => ({
        status,
        header,
        details: (
          <>
            {isTimeKnown ? <ClockTime at={at} /> : 'Time not recorded'}
            {note !== undefined && `, ${note}`}
            {link && <div>{link}</div>}
          </>
        ),
      }))}
    />
  );
}

/** The exact time beside the relative one, since the relative times of a short job's events are all the same. */
function ClockTime({ at }: { at: string }) {
  return (
    <>
      {new Date(at).toLocaleTimeString()} (<TimeAgo at={at} />)
    </>
  );
}

/** The order of events at the same instant. */
function* happened(job: Job): Iterable<HistoryEvent> {
  const { status, attempt, queued_at, started_at, cancel_requested_at, finished_at, worker_id } = job;
  // Released by its worker, so it keeps its place in the queue.
  const parked = status === 'QUEUED' && started_at !== null && queued_at !== null && started_at >= queued_at;
  const isPast = hasOutlivedAttempt(job);
  const wait = isPast ? undefined : waitOf(job, attempt);
  const resumed = attemptOf(job, attempt)?.resumed_from;
  yield { status: 'success', header: 'Created', at: job.created_at, note: `by ${job.created_by}` };
  yield* pastAttempts(job);
  if (queued_at !== null) {
    const waiting = status === 'QUEUED' && !parked;
    const waited = wait !== undefined && wait.sinceAttempt === undefined ? waitText(wait) : undefined;
    const isFirst = !job.attempts?.some((one) => one.started_at !== null && one.started_at < queued_at);
    yield {
      status: waiting ? 'pending' : 'success',
      header: isFirst ? 'Queued' : 'Re-queued',
      at: queued_at,
      note: waiting ? job.state_reason.message : waited,
    };
  }
  if (started_at !== null && !isPast) {
    const notes = [
      ...(wait?.sinceAttempt === undefined ? [] : [waitText(wait)]),
      ...(worker_id === null ? [] : [`on worker ${worker_id}`]),
      ...(resumed == null ? [] : [resumedText(resumed)]),
    ];
    yield {
      status: status === 'RUNNING' ? 'in-progress' : 'success',
      header: `Attempt ${attempt} started`,
      at: started_at,
      note: notes.join(', ') || undefined,
    };
  }
  if (parked) {
    const next =
      job.resume_from == null ? '' : ` The next attempt continues the session of attempt ${job.resume_from}.`;
    const note = `${job.state_reason.message}${next}`;
    yield { status: 'pending', header: 'Re-queued', at: job.updated_at, note };
  }
  if (cancel_requested_at !== null) yield { status: 'stopped', header: 'Cancel requested', at: cancel_requested_at };
  if (finished_at !== null) {
    const took = isPast || started_at === null ? '' : `after ${between(started_at, finished_at)}: `;
    yield {
      status: ATTEMPT_ENDS[status] ?? 'stopped',
      header: attempt > 0 && !isPast ? `Attempt ${attempt} ended: ${statusText(status)}` : statusText(status),
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
