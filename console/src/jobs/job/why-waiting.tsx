import Alert, { type AlertProps } from '@cloudscape-design/components/alert';
import { Link } from 'react-router';
import { duration, useNow } from '../../layout/time-ago.tsx';
import type { Job } from './job-query.ts';

/** Why a job is where it is, where that is not plain: it waits, it failed, it was asked to end. */
export function WhyWaiting({ job }: { job: Job }) {
  const now = useNow();
  const { message, next_check_at } = job.state_reason;
  if (job.status === 'SUCCEEDED' || (job.status === 'RUNNING' && job.cancel_requested_at === null)) return null;
  const wait = next_check_at === undefined ? undefined : Date.parse(next_check_at) - now;
  return (
    <Alert type={TYPES[job.status] ?? 'info'} header={HEADERS[job.status] ?? ''}>
      {message}
      {job.status === 'FAILED' && job.error !== null && !message.includes(job.error) && (
        <pre className="job-error">{job.error}</pre>
      )}
      {wait !== undefined && wait > 0 && ` Next look in ${duration(wait)}.`}
      {job.status === 'QUEUED' && job.state_reason.code === 'account_required' && (
        <>
          {' '}
          <Link to="/account">Link the vendor account</Link>
        </>
      )}
    </Alert>
  );
}

const TYPES: Partial<Record<Job['status'], AlertProps.Type>> = { FAILED: 'error', RUNNING: 'warning' };
const HEADERS: Partial<Record<Job['status'], string>> = {
  DRAFT: 'A draft',
  QUEUED: 'Why it is not running',
  RUNNING: 'Ending',
  FAILED: 'Why it failed',
  CANCELLED: 'Cancelled',
};
