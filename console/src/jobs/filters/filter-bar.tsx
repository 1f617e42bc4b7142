import Button, { type ButtonProps } from '@cloudscape-design/components/button';
import type { InputProps } from '@cloudscape-design/components/input';
import { type ReactNode, type Ref, useCallback, useRef, useState } from 'react';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Status } from '../../../../lib/contract/statuses.ts';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { activeFilters, type ChangeFilters, type JobFilters } from '../queries/job-filters.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { FilterBox } from './filter-box.tsx';
import { FilterChips } from './filter-chips.tsx';
import { SavedFilters } from './saved-filters.tsx';
import { StatusTabs } from './status-tabs.tsx';
import './filter-bar.css';

const FilterPanel = lazyPart(() => import('./filter-panel.tsx'), 'FilterPanel');

interface FilterBarProps {
  readonly filters: JobFilters;
  readonly onChange: ChangeFilters;
  readonly counts: Readonly<Record<Status, number>> | undefined;
  readonly searchRef: Ref<InputProps.Ref>;
  readonly jobs: readonly JobSummary[];
  /** Further content of the bar. */
  readonly children?: ReactNode;
}

/** The status tabs and the search, a panel with all other filters, and chips of the active ones. */
export function FilterBar({ filters, onChange, counts, searchRef, jobs, children }: FilterBarProps) {
  const search = useCallback((text: string) => onChange({ search: text }), [onChange]);
  const [isOpen, setOpen] = useState(false);
  const toggle = useRef<ButtonProps.Ref>(null);
  return (
    <div className="filter-bar">
      <StatusTabs
        counts={isCounted(filters) ? counts : undefined}
        selected={filters.status}
        onSelect={(status) => onChange({ status: status ?? '' })}
      />
      <div className="filter-bar-line">
        <div className="filter-bar-search">
          <FilterBox
            inputRef={searchRef}
            label="Search jobs"
            placeholder="Search title, prompt, tag, project, folder, ID"
            maxLength={LIMITS.searchLength}
            value={filters.search ?? ''}
            onFilter={search}
          />
        </div>
        <Button ref={toggle} iconName="filter" ariaExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters
        </Button>
        <SavedFilters filters={filters} onChoose={onChange} />
        {children}
      </div>
      {isOpen && (
        <Part>
          <FilterPanel filters={filters} onChange={onChange} jobs={jobs} />
        </Part>
      )}
      <FilterChips filters={filters} onChange={onChange} onCleared={() => toggle.current?.focus()} />
    </div>
  );
}

/** The counts are those of all jobs, whatever the list shows. */
function isCounted(filters: JobFilters): boolean {
  return activeFilters(filters).every(([name]) => name === 'status');
}
