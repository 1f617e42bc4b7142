import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { ListTable } from '../../tables/list-table.tsx';
import type { JobSummary } from '../queries/jobs-query.ts';
import { JobStatus } from '../status/job-status.tsx';
import { jobHeadline } from '../text/prompt-headline.ts';

interface BulkTableProps {
  readonly title: string;
  readonly jobs: readonly JobSummary[];
  /** The header of the `effect` column. */
  readonly heading: string;
  readonly effect: (job: JobSummary) => ReactNode;
}

/** A group of jobs with the same effect. Renders nothing for an empty group. */
export function BulkTable({ title, jobs, heading, effect }: BulkTableProps) {
  if (jobs.length === 0) return null;
  return (
    <section aria-label={title}>
      <Box variant="h3">{`${title} (${jobs.length.toLocaleString('en')})`}</Box>
      <ListTable
        variant="embedded"
        trackBy="id"
        items={jobs}
        ariaLabels={{ tableLabel: title }}
        columnDefinitions={[
          {
            id: 'name',
            header: 'Job',
            isRowHeader: true,
            width: '100%',
            maxWidth: 0,
            cell: (job) => jobHeadline(job).slice(0, 80),
          },
          { id: 'status', header: 'State', minWidth: 130, cell: (job) => <JobStatus status={job.status} /> },
          { id: 'effect', header: heading, minWidth: 240, cell: effect },
        ]}
      />
    </section>
  );
}
