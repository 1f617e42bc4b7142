import type { InputProps } from '@cloudscape-design/components/input';
import { type Ref, useCallback } from 'react';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Status } from '../../../../lib/contract/statuses.ts';
import { FilterBox } from './filter-box.tsx';
import type { ChangeFilters, JobFilters } from './job-filters.ts';
import { SavedFilters } from './saved-filters.tsx';
import { StatusTabs } from './status-tabs.tsx';
import './filter-bar.css';

interface FilterBarProps {
  readonly filters: JobFilters;
  readonly onChange: ChangeFilters;
  readonly counts: Readonly<Record<Status, number>> | undefined;
  readonly searchRef: Ref<InputProps.Ref>;
}

/** What the list is narrowed to: state, text, project, folder; and the filters that were kept by name. */
export function FilterBar({ filters, onChange, counts, searchRef }: FilterBarProps) {
  const search = useCallback((text: string) => onChange({ search: text }), [onChange]);
  const project = useCallback((text: string) => onChange({ project: text }), [onChange]);
  const cwd = useCallback((text: string) => onChange({ cwd: text }), [onChange]);
  return (
    <div className="filter-bar">
      <div className="filter-bar-states">
        <StatusTabs
          counts={counts}
          selected={filters.status}
          onSelect={(status) => onChange({ status: status ?? '' })}
        />
      </div>
      <div className="filter-bar-search">
        <FilterBox
          inputRef={searchRef}
          label="Search jobs"
          placeholder="Search id, project, folder, prompt"
          maxLength={LIMITS.searchLength}
          value={filters.search ?? ''}
          onFilter={search}
        />
      </div>
      <FilterBox
        label="Project"
        placeholder="Project"
        maxLength={LIMITS.projectNameLength}
        value={filters.project ?? ''}
        onFilter={project}
      />
      <FilterBox
        label="Folder"
        placeholder="Folder, in full"
        maxLength={LIMITS.cwdLength}
        value={filters.cwd ?? ''}
        onFilter={cwd}
      />
      <SavedFilters filters={filters} onChoose={onChange} />
    </div>
  );
}
