import Button from '@cloudscape-design/components/button';
import Icon from '@cloudscape-design/components/icon';
import { activeFilters, type ChangeFilters, type JobFilters, NO_FILTERS } from '../queries/job-filters.ts';
import { FILTER_LABELS, filterText } from './filter-words.ts';
import './filter-chips.css';

interface FilterChipsProps {
  readonly filters: JobFilters;
  readonly onChange: ChangeFilters;
  /** Called after a chip's button was pressed, because the focused button is removed. */
  readonly onCleared: () => void;
}

/** The active filters, each with a button that clears it, and a button that clears all. */
export function FilterChips({ filters, onChange, onCleared }: FilterChipsProps) {
  const active = activeFilters(filters);
  if (active.length === 0) return null;
  const clear = (changes: Parameters<ChangeFilters>[0]) => {
    onChange(changes);
    onCleared();
  };
  return (
    <ul className="filter-chips" aria-label="Active filters">
      {active.map(([name, value]) => (
        <li key={name} className="filter-chip">
          <span className="filter-chip-text">{filterText(name, value)}</span>
          <button
            type="button"
            className="filter-chip-clear"
            aria-label={`Clear the filter ${FILTER_LABELS[name]}`}
            onClick={() => clear({ [name]: '' })}
          >
            <Icon name="close" size="small" />
          </button>
        </li>
      ))}
      <li>
        <Button variant="inline-link" onClick={() => clear(NO_FILTERS)}>
          Clear all filters
        </Button>
      </li>
    </ul>
  );
}
