import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQueries } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ListTable } from '../../tables/list-table.tsx';
import { type Job, jobQuery } from '../queries/job-query.ts';
import { JobStatus } from '../status/job-status.tsx';

/** The follow-up jobs of a job, and the job that requested it. */
export function JobFollowUps({ job }: { job: Job }) {
  const children = useQueries({ queries: job.follow_up_ids.map((id) => jobQuery(id)) });
  const rows = job.follow_up_ids.map((id, at) => ({ id, child: children[at]?.data, error: children[at]?.error }));
  return (
    <SpaceBetween size="m">
      {job.parent_id !== null && (
        <Box>
          Requested by{' '}
          <Link className="job-link" to={`/jobs/${job.parent_id}`}>
            {job.parent_id}
          </Link>
        </Box>
      )}
      <ListTable
        variant="embedded"
        trackBy="id"
        items={rows}
        ariaLabels={{ tableLabel: 'Follow-up jobs' }}
        empty="No follow-up jobs."
        columnDefinitions={[
          {
            id: 'job',
            header: 'Job',
            isRowHeader: true,
            cell: ({ id, child }) => (
              <Link className="job-link" to={`/jobs/${id}`}>
                {child?.prompt.slice(0, 120) ?? id}
              </Link>
            ),
          },
          {
            id: 'status',
            header: 'State',
            cell: ({ child, error }) => (child ? <JobStatus status={child.status} /> : (error?.message ?? 'Loading')),
          },
          { id: 'reason', header: 'Reason', cell: ({ child }) => child?.state_reason.message ?? '' },
        ]}
      />
    </SpaceBetween>
  );
}
