import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { TimeAgo } from '../format/time-ago.tsx';
import type { Binding } from './binding-queries.ts';
import { fieldsOf, MODES } from './modes.ts';

interface BindingActions {
  readonly onEdit: (binding: Binding) => void;
  readonly onDelete: (binding: Binding) => void;
}

/** The columns of the list of bindings, with actions for users who may change them. */
export function bindingColumns(mayAct: boolean, actions: BindingActions): TableProps.ColumnDefinition<Binding>[] {
  const columns: TableProps.ColumnDefinition<Binding>[] = [
    { id: 'project', header: 'Project', minWidth: 110, cell: (binding) => binding.project },
    { id: 'name', header: 'Name', isRowHeader: true, minWidth: 120, cell: (binding) => binding.name },
    { id: 'mode', header: 'Mode', minWidth: 95, cell: (binding) => MODES[binding.binding_mode].label },
    { id: 'does', header: 'Description', minWidth: 220, cell: (binding) => <BindingCommands binding={binding} /> },
    { id: 'ready', header: 'State', minWidth: 190, cell: (binding) => <Readiness binding={binding} /> },
    { id: 'updated', header: 'Updated', minWidth: 100, cell: (binding) => <TimeAgo at={binding.updated_at} /> },
  ];
  if (!mayAct) return columns;
  return [
    ...columns,
    {
      id: 'actions',
      header: 'Actions',
      minWidth: 130,
      cell: (binding) => (
        <SpaceBetween size="xs" direction="horizontal">
          <Button variant="inline-link" ariaLabel={`Edit ${binding.name}`} onClick={() => actions.onEdit(binding)}>
            Edit
          </Button>
          <Button variant="inline-link" ariaLabel={`Delete ${binding.name}`} onClick={() => actions.onDelete(binding)}>
            Delete
          </Button>
        </SpaceBetween>
      ),
    },
  ];
}

function BindingCommands({ binding }: { binding: Binding }) {
  const lines = [binding.target_url ?? binding.open_url, ...binding.commands].filter((line) => line !== null);
  if (lines.length === 0) return '-';
  return lines.map((line) => (
    <div key={line}>
      <code>{line}</code>
    </div>
  ));
}

function Readiness({ binding }: { binding: Binding }) {
  if (binding.ready) return <StatusIndicator type="success">Ready</StatusIndicator>;
  if (binding.disabled_reason !== null)
    return <StatusIndicator type="stopped">Disabled: {binding.disabled_reason}</StatusIndicator>;
  const labels = new Map<string, string>(fieldsOf(binding.binding_mode).map(([field, { label }]) => [field, label]));
  const missing = binding.missing.map((field) => labels.get(field) ?? field);
  return <StatusIndicator type="warning">Missing: {missing.join(', ')}</StatusIndicator>;
}
