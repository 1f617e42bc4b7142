import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { ListTable } from '../../tables/list-table.tsx';
import { JobStatus, statusText } from '../status/job-status.tsx';
import { jobHeadline } from '../text/prompt-headline.ts';
import type { SelectedJob } from './read-again.ts';

interface BulkTableProps {
  readonly title: string;
  readonly jobs: readonly SelectedJob[];
  /** The header of the `effect` column. */
  readonly heading: string;
  readonly effect: (job: SelectedJob) => ReactNode;
}

/** A group of jobs with the same effect. Renders nothing for an empty group. */
export function BulkTable({ title, jobs, heading, effect }: BulkTableProps) {
  if (jobs.length === 0) return null;
  return (
    <section aria-label={title}>
      <Box variant="h3">{`${title} (${jobs.length.toLocaleString('en')})`}</Box>
      <ListTable
        variant="embedded"
        trackBy={({ job }) => job.id}
        items={jobs}
        ariaLabels={{ tableLabel: title }}
        columnDefinitions={[
          {
            id: 'name',
            header: 'Job',
            isRowHeader: true,
            width: '100%',
            maxWidth: 0,
            cell: ({ job }) => jobHeadline(job).slice(0, 80),
          },
          { id: 'status', header: 'State', minWidth: 130, cell: (selected) => <State {...selected} /> },
          { id: 'effect', header: heading, minWidth: 240, cell: effect },
        ]}
      />
    </section>
  );
}

/** The present state, and below it the one in which the job was selected, if it has changed. */
function State({ job, before, isDeleted }: SelectedJob) {
  if (isDeleted) return <>Deleted</>;
  return (
    <>
      <JobStatus status={job.status} />
      {before !== undefined && (
        <div>
          <Box variant="small">{`Was ${statusText(before).toLowerCase()}`}</Box>
        </div>
      )}
    </>
  );
}
