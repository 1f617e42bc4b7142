import Alert, { type AlertProps } from '@cloudscape-design/components/alert';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { duration } from '../../format/duration.ts';
import { useNow } from '../../format/time-ago.tsx';
import type { Job } from '../queries/job-query.ts';
import '../text/job-text.css';

/** Why a job waits or failed, or that it is being cancelled. */
export function WhyWaiting({ job }: { job: Job }) {
  const now = useNow();
  const { code, message, next_check_at } = job.state_reason;
  if (job.status === 'SUCCEEDED' || (job.status === 'RUNNING' && job.cancel_requested_at === null)) return null;
  // The card of a question shows until when it can be answered.
  const wait = next_check_at === undefined || code === 'question' ? undefined : Date.parse(next_check_at) - now;
  return (
    <Alert type={TYPES[job.status] ?? 'info'} header={HEADERS[job.status] ?? ''}>
      {message}
      {job.status === 'FAILED' && job.error !== null && !message.includes(job.error) && (
        <pre className="job-text">{job.error}</pre>
      )}
      {wait !== undefined && wait > 0 && ` Next check in ${duration(wait)}.`}
      {job.queue && <QueuePlace queue={job.queue} />}
      {job.status === 'QUEUED' && job.state_reason.code === 'account_required' && (
        <>
          {' '}
          <Link to="/account">Link the vendor account</Link>
        </>
      )}
    </Alert>
  );
}

/** The number of jobs ahead, and the jobs that hold what it waits for. */
function QueuePlace({ queue: { ahead, ahead_complete, held_by } }: { queue: NonNullable<Job['queue']> }) {
  return (
    <>
      {ahead !== null &&
        ahead > 0 &&
        ` ${ahead_complete ? '' : 'At least '}${ahead} ${ahead === 1 ? 'job is' : 'jobs are'} ahead.`}
      {held_by.length > 0 && ' Held by '}
      {held_by.map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <Link to={`/jobs/${id}`}>{id}</Link>
        </Fragment>
      ))}
    </>
  );
}

const TYPES: Partial<Record<Job['status'], AlertProps.Type>> = { FAILED: 'error', RUNNING: 'warning' };
const HEADERS: Partial<Record<Job['status'], string>> = {
  DRAFT: 'Draft',
  QUEUED: 'Why it is not running',
  RUNNING: 'Cancelling',
  FAILED: 'Why it failed',
  CANCELLED: 'Cancelled',
};
