import Box from '@cloudscape-design/components/box';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { statusText } from '../jobs/status/job-status.tsx';
import { type WaitingJobs, waitingJobsQuery } from './waiting-jobs-query.ts';

interface JobsWaitingForProps {
  readonly what: 'rule' | 'profile';
  readonly name: string;
}

/** Maximum jobs to list. */
const NAMED = 5;

/** The drafts and queued jobs that use a rule or profile. */
export function JobsWaitingFor({ what, name }: JobsWaitingForProps) {
  const { data, error } = useQuery(waitingJobsQuery(what, name));
  if (error) return <Box color="text-status-error">{`Could not load the jobs that use it: ${error.message}`}</Box>;
  if (!data) return <Box color="text-body-secondary">Finding drafts and queued jobs that use it…</Box>;
  const { jobs } = data;
  return (
    <div>
      {summary(data, what)}
      {jobs.length > 0 && (
        <ul>
          {jobs.slice(0, NAMED).map((job) => (
            <li key={job.id}>
              <Link className="job-link" to={`/jobs/${job.id}`}>
                {job.title ?? job.prompt_preview.split('\n', 1)[0]}
              </Link>{' '}
              ({statusText(job.status).toLowerCase()}, {job.project})
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function summary({ jobs, unread }: WaitingJobs, what: 'rule' | 'profile'): string {
  const count = what === 'profile' ? jobs.length + unread : jobs.length;
  const used = count === 1 ? '1 draft or queued job uses it' : `${count} drafts and queued jobs use it`;
  const others = what === 'rule' && unread > 0 ? `. ${unread} more were not checked` : '';
  return `${count === 0 ? 'No draft or queued job uses it' : used}${others}${jobs.length > 0 ? ':' : '.'}`;
}
