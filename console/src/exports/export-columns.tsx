import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { sizeText } from '../format/size-text.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import type { Export } from './export-queries.ts';
import { conditionsText, kindLabel } from './export-words.ts';

const STATES: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  queued: ['pending', 'Not begun'],
  running: ['in-progress', 'Being written'],
  done: ['success', 'Done'],
  failed: ['error', 'Failed'],
};

interface Actions {
  readonly mayDelete: boolean;
  /** The export whose link is being made. */
  readonly downloading: string | undefined;
  readonly onDownload: (one: Export, raw: boolean) => void;
  readonly onDelete: (one: Export) => void;
}

export function exportColumns(actions: Actions): readonly TableProps.ColumnDefinition<Export>[] {
  return [
    {
      id: 'what',
      header: 'Export',
      isRowHeader: true,
      cell: (one) => `${kindLabel(one.kind)}, ${one.format === 'csv' ? 'CSV' : 'JSON Lines'}`,
    },
    { id: 'filter', header: 'Filters', cell: conditionsText },
    { id: 'status', header: 'State', minWidth: 240, cell: (one) => <State one={one} /> },
    { id: 'created', header: 'Started', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
    { id: 'by', header: 'By', cell: ({ created_by }) => created_by },
    { id: 'expires', header: 'Expires', cell: ({ expires_at }) => <TimeAgo at={expires_at} /> },
    { id: 'actions', header: 'Actions', cell: (one) => <ExportActions one={one} {...actions} /> },
  ];
}

function State({ one: { status, progress, error } }: { one: Export }) {
  const [type, text] = STATES[status] ?? ['info', status];
  const rows = `${progress.rows.toLocaleString('en')} ${progress.rows === 1 ? 'row' : 'rows'}`;
  const facts = status === 'queued' ? '' : `: ${rows}, ${sizeText(progress.bytes)}`;
  return <StatusIndicator type={type}>{error === null ? `${text}${facts}` : `${text}: ${error}`}</StatusIndicator>;
}

function ExportActions({ one, mayDelete, downloading, onDownload, onDelete }: { one: Export } & Actions) {
  const name = `${kindLabel(one.kind)} of ${one.created_at}`;
  const isOpen = one.status === 'queued' || one.status === 'running';
  return (
    <SpaceBetween size="xs" direction="horizontal">
      {one.status === 'done' && (
        <Button
          iconName="download"
          loading={downloading === one.id}
          ariaLabel={`Download ${name}`}
          onClick={() => onDownload(one, false)}
        >
          Download
        </Button>
      )}
      {one.status === 'done' && one.format === 'csv' && (
        <Button ariaLabel={`Download ${name} as JSON Lines`} onClick={() => onDownload(one, true)}>
          JSON Lines
        </Button>
      )}
      {mayDelete && (
        <Button ariaLabel={`${isOpen ? 'Stop' : 'Delete'} ${name}`} onClick={() => onDelete(one)}>
          {isOpen ? 'Stop' : 'Delete'}
        </Button>
      )}
    </SpaceBetween>
  );
}
