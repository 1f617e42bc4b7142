import type { TableProps } from '@cloudscape-design/components/table';
import { Link } from 'react-router';
import { TimeAgo } from '../format/time-ago.tsx';
import { automationPath } from '../page/automation-link.tsx';
import { AutomationActions } from './automation-actions.tsx';
import type { Automation } from './automation-queries.ts';
import { AutomationState, Failures, LastRun } from './automation-state.tsx';
import { scheduleText } from './automation-words.ts';

/** The columns of the list: each automation with its health. */
export const AUTOMATION_COLUMNS: TableProps.ColumnDefinition<Automation>[] = [
  {
    id: 'name',
    header: 'Automation',
    isRowHeader: true,
    minWidth: 160,
    cell: ({ id, name }) => (
      <Link className="job-link small-target" to={automationPath(id)}>
        {name}
      </Link>
    ),
  },
  { id: 'state', header: 'State', minWidth: 140, cell: (one) => <AutomationState automation={one} /> },
  { id: 'schedule', header: 'Schedule', minWidth: 160, cell: scheduleText },
  {
    id: 'next',
    header: 'Next',
    minWidth: 90,
    cell: ({ next_runs: [next] }) => (next === undefined ? '-' : <TimeAgo at={next.starts_at} />),
  },
  { id: 'last', header: 'Last run', minWidth: 150, cell: (one) => <LastRun automation={one} /> },
  { id: 'failures', header: 'Failures in a row', minWidth: 90, cell: (one) => <Failures automation={one} /> },
  {
    id: 'actions',
    header: 'Actions',
    minWidth: 300,
    cell: (one) => <AutomationActions automation={one} variant="inline-link" />,
  },
];
