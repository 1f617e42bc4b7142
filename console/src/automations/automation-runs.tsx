import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { TimeAgo } from '../format/time-ago.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { LoadMore } from '../tables/load-more.tsx';
import { type AutomationRun, runsQuery } from './automation-queries.ts';
import { Lateness, RunStatus } from './automation-state.tsx';

/** The history of an automation: what became of each due instant. */
export function AutomationRuns({ id }: { id: string }) {
  const runs = useInfiniteQuery(runsQuery(id));
  return (
    <SpaceBetween size="m">
      <ListTable
        wrapLines
        header={<Header variant="h2">Runs</Header>}
        ariaLabels={{ tableLabel: 'Runs' }}
        items={runs.data?.pages.flatMap(({ items }) => items) ?? []}
        loading={runs.isPending}
        loadingText="Loading the runs"
        empty={runs.error ? <StatusIndicator type="error">{runs.error.message}</StatusIndicator> : 'No runs yet'}
        columnDefinitions={COLUMNS}
      />
      <LoadMore list={runs} />
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<AutomationRun>[] = [
  {
    id: 'due',
    header: 'Due',
    isRowHeader: true,
    minWidth: 120,
    cell: ({ due_at, count }) => (
      <>
        <TimeAgo at={due_at} />
        {count > 1 && ` and ${count - 1} more`}
      </>
    ),
  },
  { id: 'outcome', header: 'Outcome', minWidth: 120, cell: (run) => <RunStatus run={run} /> },
  {
    id: 'job',
    header: 'Job',
    minWidth: 90,
    cell: ({ job_id, due_at }) =>
      job_id === null ? (
        '-'
      ) : (
        <Link className="job-link" to={`/jobs/${job_id}`} aria-label={`Open job of ${due_at}`}>
          Open job
        </Link>
      ),
  },
  { id: 'details', header: 'Details', minWidth: 200, cell: (run) => <Details run={run} /> },
];

/** Why there is no job, or how the run came about. */
function Details({ run: { reason, trigger, late_seconds: late } }: { run: AutomationRun }) {
  if (reason !== null) return reason.message;
  if (trigger === 'manual') return 'Run by hand';
  if (trigger === 'event') return 'By an event';
  return trigger === 'hook' ? 'By a delivery' : <Lateness seconds={late} />;
}
