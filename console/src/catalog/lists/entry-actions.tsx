import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useNavigate } from 'react-router';

interface EntryActionsProps {
  readonly list: 'rules' | 'profiles';
  readonly name: string;
  /** Undefined for a built-in entry, which can't be deleted. */
  readonly onDelete: (() => void) | undefined;
}

/** The actions of admins on a rule or profile. */
function EntryActions({ list, name, onDelete }: EntryActionsProps) {
  const navigate = useNavigate();
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button
        variant="inline-link"
        ariaLabel={`Edit ${name}`}
        onClick={() => void navigate(`/${list}/${encodeURIComponent(name)}/edit`)}
      >
        Edit
      </Button>
      {onDelete && (
        <Button variant="inline-link" ariaLabel={`Delete ${name}`} onClick={onDelete}>
          Delete
        </Button>
      )}
    </SpaceBetween>
  );
}

/** The column of these actions. */
export function entryActions<Item extends { readonly source: 'built_in' | 'imported' }>(options: {
  readonly list: 'rules' | 'profiles';
  readonly nameOf: (item: Item) => string;
  readonly onDelete: (item: Item) => void;
}): TableProps.ColumnDefinition<Item> {
  const { list, nameOf, onDelete } = options;
  return {
    id: 'actions',
    header: 'Actions',
    minWidth: 125,
    cell: (item) => (
      <EntryActions
        list={list}
        name={nameOf(item)}
        onDelete={item.source === 'imported' ? () => onDelete(item) : undefined}
      />
    ),
  };
}
