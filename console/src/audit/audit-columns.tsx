import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { Link } from 'react-router';
import { TimeAgo } from '../format/time-ago.tsx';
import { ACTION_WORDS } from './action-words.ts';
import type { AuditRow } from './audit-query.ts';

/** The columns of the audit log. */
export const AUDIT_COLUMNS: TableProps.ColumnDefinition<AuditRow>[] = [
  { id: 'at', header: 'Time', minWidth: 110, cell: (row) => <TimeAgo at={row.at} /> },
  { id: 'actor', header: 'Principal', minWidth: 180, cell: (row) => row.actor },
  { id: 'action', header: 'Action', minWidth: 150, isRowHeader: true, cell: (row) => <Action row={row} /> },
  { id: 'target', header: 'Resource', minWidth: 200, cell: (row) => <Target row={row} /> },
  { id: 'source', header: 'Source', minWidth: 110, cell: (row) => row.source_ip ?? '-' },
  {
    id: 'status',
    header: 'Outcome',
    minWidth: 90,
    cell: (row) =>
      row.status < 400 ? (
        <StatusIndicator type="success">Done</StatusIndicator>
      ) : (
        <StatusIndicator type="error">{`Rejected (${row.status})`}</StatusIndicator>
      ),
  },
];

/** The description of the action, and its code for filters. */
function Action({ row }: { row: AuditRow }) {
  const words = ACTION_WORDS[row.action];
  return (
    <>
      {words ?? row.action}
      {words !== undefined && (
        <div>
          <Box variant="small">{row.action}</Box>
        </div>
      )}
    </>
  );
}

function Target({ row }: { row: AuditRow }) {
  const { id, ...others } = row.target;
  const text = Object.entries(others).map(([name, value]) => `${name} ${value}`);
  return (
    <>
      {id?.startsWith('job_') ? <Link to={`/jobs/${id}`}>{id}</Link> : id}
      {text.length > 0 && ` ${text.join(', ')}`}
      {id === undefined && text.length === 0 && '-'}
    </>
  );
}
