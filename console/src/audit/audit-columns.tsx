import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { Link } from 'react-router';
import { TimeAgo } from '../layout/time-ago.tsx';
import type { AuditRow } from './audit-query.ts';

/** The columns of the audit log. */
export const AUDIT_COLUMNS: TableProps.ColumnDefinition<AuditRow>[] = [
  { id: 'at', header: 'When', minWidth: 110, cell: (row) => <TimeAgo at={row.at} /> },
  { id: 'actor', header: 'Who', minWidth: 180, cell: (row) => row.actor },
  { id: 'action', header: 'What', minWidth: 150, isRowHeader: true, cell: (row) => row.action },
  { id: 'target', header: 'To what', minWidth: 200, cell: (row) => <Target row={row} /> },
  { id: 'source', header: 'From', minWidth: 110, cell: (row) => row.source_ip ?? '-' },
  {
    id: 'status',
    header: 'Answer',
    minWidth: 90,
    cell: (row) => <StatusIndicator type={row.status < 400 ? 'success' : 'error'}>{row.status}</StatusIndicator>,
  },
];

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
