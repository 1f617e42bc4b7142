import Box from '@cloudscape-design/components/box';
import type { TableProps } from '@cloudscape-design/components/table';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { automationNamesQuery } from '../../form/catalog-choices.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { AutomationLink } from '../../page/automation-link.tsx';
import type { JobSummary } from '../queries/jobs-query.ts';
import { shortReason } from '../status/job-reason.ts';
import { JobStatus } from '../status/job-status.tsx';
import { RunTime } from '../status/run-time.tsx';
import { COLUMN_LABELS, type ColumnId } from './column-choice.ts';
import { JobTitle } from './job-title.tsx';

type Column = TableProps.ColumnDefinition<JobSummary>;

/** The column that the service can sort by. */
export const SORTED_COLUMN = { sortingField: 'created_at' } as const;

const column = (id: ColumnId, minWidth: number, cell: Column['cell'], more: Partial<Column> = {}): Column => ({
  id,
  header: COLUMN_LABELS[id],
  minWidth,
  cell,
  ...more,
});

const titleColumn = (withTags: boolean): Column => ({
  id: 'title',
  header: 'Job',
  isRowHeader: true,
  // Takes the remaining width.
  width: '100%',
  minWidth: 200,
  maxWidth: 0,
  cell: (job) => <JobTitle job={job} withTags={withTags} />,
});

const jobColumns = (asOf: number | undefined, withTags: boolean): Column[] => [
  column('status', 135, (job) => <State job={job} />, { maxWidth: 160 }),
  titleColumn(withTags),
  column(
    'project',
    100,
    (job) => (
      <Link className="job-link" to={`/jobs?${new URLSearchParams({ project: job.project_id })}`}>
        {job.project}
      </Link>
    ),
    { maxWidth: 180 },
  ),
  column('profile', 85, (job) => job.profile, { maxWidth: 160 }),
  column('agent', 80, (job) => job.agent ?? '-'),
  column('model', 100, (job) => job.model_used ?? job.model ?? '-', { maxWidth: 180 }),
  column('automation', 110, ({ automation }) => (automation === null ? '-' : <NamedAutomation id={automation} />), {
    maxWidth: 180,
  }),
  column('priority', 80, (job) => job.priority),
  column('turn', 70, (job) => (
    <Link
      className="job-link"
      to={`/jobs?${new URLSearchParams({ thread: job.thread_id })}`}
      title="Jobs of its thread"
    >
      {job.turn ?? '-'}
    </Link>
  )),
  column('attempt', 80, (job) => (job.attempt === 0 ? '-' : job.attempt)),
  column('exit_code', 90, (job) => job.exit_code ?? job.signal ?? '-'),
  column('created_by', 110, (job) => job.created_by ?? '-', { maxWidth: 200 }),
  column('created', 110, (job) => <TimeAgo at={job.created_at} />, SORTED_COLUMN),
  column('started', 110, (job) => <TimeAgo at={job.started_at} />),
  column('duration', 90, (job) => <RunTime job={job} asOf={asOf} />),
];

/** The automation that created a job, by its name once that is known. */
function NamedAutomation({ id }: { id: string }) {
  const { data } = useQuery(automationNamesQuery);
  return <AutomationLink id={id} name={data?.find((one) => one.id === id)?.name} />;
}

/** The state of a job, and below it the reason. */
function State({ job }: { job: JobSummary }) {
  const reason = shortReason(job);
  return (
    <>
      <JobStatus status={job.status} cancelling={job.cancel_requested_at !== null} />
      {reason !== undefined && (
        <div className="job-reason" title={job.state_reason.message}>
          <Box variant="small">{reason}</Box>
        </div>
      )}
    </>
  );
}

/**
 * The columns of the list: the title and the chosen ones.
 * @param asOf when the jobs were last read (ms), if they can't be read now
 */
export function useJobColumns(shown: readonly ColumnId[], asOf: number | undefined): Column[] {
  return useMemo(() => {
    const isShown = ({ id }: Column) => id === 'title' || shown.some((chosen) => chosen === id);
    return jobColumns(asOf, shown.includes('tags')).filter(isShown);
  }, [shown, asOf]);
}
