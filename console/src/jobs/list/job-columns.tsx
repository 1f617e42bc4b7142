import Box from '@cloudscape-design/components/box';
import type { TableProps } from '@cloudscape-design/components/table';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useNarrowScreen } from '../../layout/narrow-screen.ts';
import { TimeAgo } from '../../layout/time-ago.tsx';
import { JobStatus } from '../job-status.tsx';
import { RunTime } from '../run-time.tsx';
import type { JobSummary } from './jobs-query.ts';

type Columns = TableProps.ColumnDefinition<JobSummary>[];

const jobColumns = (asOf: number | undefined): Columns => [
  {
    id: 'status',
    header: 'State',
    minWidth: 150,
    maxWidth: 240,
    cell: (job) => (
      <>
        <JobStatus status={job.status} cancelling={job.cancel_requested_at !== null} />
        {(job.status === 'QUEUED' || job.status === 'FAILED') && (
          <div className="job-reason" title={job.state_reason.message}>
            <Box variant="small">{job.state_reason.message}</Box>
          </div>
        )}
      </>
    ),
  },
  {
    id: 'prompt',
    header: 'Prompt',
    isRowHeader: true,
    // All the room that the others leave, and no more.
    width: '100%',
    minWidth: 200,
    maxWidth: 0,
    cell: (job) => (
      <Link className="job-link" to={`/jobs/${job.id}`} data-job={job.id} title={job.prompt_preview}>
        {job.title ?? (job.prompt_preview || job.id)}
      </Link>
    ),
  },
  {
    id: 'project',
    header: 'Project',
    minWidth: 100,
    maxWidth: 180,
    cell: (job) => (
      <Link className="job-link" to={`/jobs?${new URLSearchParams({ project: job.project_id })}`}>
        {job.project}
      </Link>
    ),
  },
  { id: 'profile', header: 'Profile', minWidth: 85, maxWidth: 160, cell: (job) => job.profile },
  { id: 'priority', header: 'Priority', minWidth: 80, cell: (job) => job.priority },
  { id: 'attempt', header: 'Attempt', minWidth: 80, cell: (job) => (job.attempt === 0 ? '-' : job.attempt) },
  { id: 'created', header: 'Created', minWidth: 110, cell: (job) => <TimeAgo at={job.created_at} /> },
  {
    id: 'duration',
    header: 'Run time',
    minWidth: 90,
    cell: (job) => <RunTime job={job} asOf={asOf} />,
  },
];

const IN_NARROW = ['prompt', 'status', 'project', 'created'];

/**
 * The columns that are shown: on a narrow screen what is needed to find a job.
 * @param asOf when the jobs were last read (ms), if they can't be read now
 */
export function useJobColumns(asOf: number | undefined): Columns {
  const narrow = useNarrowScreen();
  const columns = useMemo(() => jobColumns(asOf), [asOf]);
  return narrow ? columns.filter(({ id = '' }) => IN_NARROW.includes(id)) : columns;
}
