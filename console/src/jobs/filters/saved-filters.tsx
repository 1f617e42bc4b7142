import ButtonDropdown, { type ButtonDropdownProps } from '@cloudscape-design/components/button-dropdown';
import { useState } from 'react';
import { notify } from '../../feedback/notices.tsx';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { type ChangeFilters, type JobFilters, NO_FILTERS } from '../queries/job-filters.ts';
import { filtersText } from './filter-words.ts';
import { type StoredFilters, storedFilters, storeFilters } from './stored-filters.ts';

const NameFilters = lazyPart(() => import('./name-filters.tsx'), 'NameFilters');

interface SavedFiltersProps {
  readonly filters: JobFilters;
  readonly onChoose: ChangeFilters;
}

/** The saved filters of this browser: apply, save and remove them. */
export function SavedFilters({ filters, onChoose }: SavedFiltersProps) {
  const [stored, setStored] = useState(storedFilters);
  const [naming, setNaming] = useState(false);
  const keep = (next: StoredFilters) => {
    setStored(next);
    if (!storeFilters(next))
      notify({ type: 'warning', header: 'Saved until you leave: this browser does not allow storage' });
  };
  const follow = ({ id }: ButtonDropdownProps.ItemClickDetails) => {
    const [what = '', name = ''] = split(id);
    const chosen = stored[name];
    if (what === 'save') setNaming(true);
    else if (what === 'clear') onChoose(NO_FILTERS);
    else if (what === 'take' && chosen !== undefined) onChoose({ ...NO_FILTERS, order: '', ...chosen });
    else if (what === 'remove') keep(Object.fromEntries(Object.entries(stored).filter(([other]) => other !== name)));
  };
  return (
    <>
      <ButtonDropdown
        items={itemsFor(stored, Object.keys(filters).length > 0)}
        onItemClick={({ detail }) => follow(detail)}
      >
        Saved filters
      </ButtonDropdown>
      {naming && (
        <Part>
          <NameFilters
            taken={Object.keys(stored)}
            onSave={(name) => {
              keep({ ...stored, [name]: filters });
              setNaming(false);
            }}
            onDismiss={() => setNaming(false)}
          />
        </Part>
      )}
    </>
  );
}

function itemsFor(stored: StoredFilters, filtered: boolean): ButtonDropdownProps.Items {
  const names = Object.keys(stored).sort((one, other) => one.localeCompare(other));
  const none = { disabled: !filtered, disabledReason: 'No filters are active.' };
  return [
    ...names.map((name) => ({ id: `take:${name}`, text: name, secondaryText: filtersText(stored[name] ?? {}) })),
    { id: 'save:', text: 'Save these filters…', iconName: 'add-plus', ...none },
    { id: 'clear:', text: 'Clear all filters', iconName: 'undo', ...none },
    ...(names.length === 0
      ? []
      : [{ text: 'Remove', items: names.map((name) => ({ id: `remove:${name}`, text: name })) }]),
  ];
}

/** A name may contain colons. */
function split(id: string): [string, string] {
  const at = id.indexOf(':');
  return [id.slice(0, at), id.slice(at + 1)];
}
