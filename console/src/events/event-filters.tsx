import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Multiselect from '@cloudscape-design/components/multiselect';
import Select from '@cloudscape-design/components/select';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { automationsQuery } from '../automations/automation-queries.ts';
import { projectsQuery, templatesQuery } from '../form/catalog-choices.ts';
import { SuggestBox } from '../jobs/filters/suggest-box.tsx';
import { TimeBox } from '../jobs/filters/time-box.tsx';
import { EVENT_CHOICES } from './event-words.ts';
import { beginningOf, DEFAULT_PERIOD, type Event, type FeedFilters, NO_FEED_FILTERS, PERIODS } from './feed-filters.ts';
import '../jobs/filters/filter-panel.css';
import './events.css';

interface EventFiltersProps {
  readonly filters: FeedFilters;
  readonly onChange: (changed: Partial<FeedFilters>) => void;
  /** The shown events, whose jobs are suggested. */
  readonly events: readonly Event[];
}

const A_TIME = { value: 'time', label: 'A time' };

/** Suggested jobs. */
const JOBS = 30;

/** Filters the feed by type and says where it begins. A button shows the other filters. */
export function EventFilters({ filters, onChange, events }: EventFiltersProps) {
  const { type: _type, since: _since, ...others } = filters;
  const [isOpen, setOpen] = useState(Object.values(others).some((value) => value !== ''));
  const types = filters.type.split(',');
  const chosen = EVENT_CHOICES.filter(({ value }) => types.includes(value));
  const setSince = useCallback((since: string) => onChange({ since }), [onChange]);
  return (
    <search className="filter-panel" aria-label="Filters">
      <FormField label="Events">
        <Multiselect
          selectedOptions={chosen}
          options={EVENT_CHOICES}
          placeholder={chosen.length > 1 ? `${chosen.length} types` : (chosen[0]?.label ?? 'All')}
          hideTokens
          onChange={({ detail }) => onChange({ type: typesOf(detail.selectedOptions) })}
        />
      </FormField>
      <Since filters={filters} onChange={setSince} />
      <div className="events-buttons">
        <Button iconName="filter" ariaExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
          More filters
        </Button>
        {Object.values(filters).some((value) => value !== '') && (
          <Button variant="inline-link" onClick={() => onChange(NO_FEED_FILTERS)}>
            Clear all filters
          </Button>
        )}
      </div>
      {isOpen && <MoreFilters filters={filters} onChange={onChange} events={events} />}
    </search>
  );
}

function MoreFilters({ filters, onChange, events }: EventFiltersProps) {
  const projects = useQuery(projectsQuery);
  const templates = useQuery(templatesQuery);
  const automations = useInfiniteQuery(automationsQuery);
  const jobs = useMemo(
    () => [...new Set(events.slice(0, 10 * JOBS).flatMap(({ job_id }) => job_id ?? []))].slice(0, JOBS),
    [events],
  );
  const box = (
    name: 'project' | 'template' | 'automation' | 'job',
    label: string,
    suggestions: readonly { value: string; label?: string }[],
    isWhole = true,
  ) => (
    <SuggestBox
      label={label}
      value={filters[name]}
      suggestions={suggestions}
      isWhole={isWhole}
      isLoading={(name === 'project' && projects.isPending) || (name === 'automation' && automations.isPending)}
      maxLength={name === 'project' ? LIMITS.projectNameLength : LIMITS.nameLength}
      onFilter={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <>
      {box(
        'project',
        'Project',
        (projects.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
      )}
      {box(
        'template',
        'Template',
        (templates.data ?? []).map(({ name }) => ({ value: name })),
      )}
      {box(
        'automation',
        'Automation',
        (automations.data?.pages.flatMap(({ items }) => items) ?? []).map(({ id, name }) => ({
          value: id,
          label: name,
        })),
        !automations.hasNextPage,
      )}
      {box(
        'job',
        'Job',
        jobs.map((value) => ({ value })),
        false,
      )}
    </>
  );
}

/** A period, or a time to type. */
function Since({ filters, onChange }: { filters: FeedFilters; onChange: (since: string) => void }) {
  const period = PERIODS.find(({ value }) => value === (filters.since || DEFAULT_PERIOD));
  return (
    <>
      <FormField label="Begin with">
        <Select
          selectedOption={period ?? A_TIME}
          options={[...PERIODS, A_TIME]}
          onChange={({ detail: { selectedOption } }) => {
            const { value = '' } = selectedOption;
            if (value === A_TIME.value) onChange(beginningOf(filters));
            else onChange(value === DEFAULT_PERIOD ? '' : value);
          }}
        />
      </FormField>
      {period === undefined && <TimeBox label="Since" value={filters.since} onFilter={onChange} />}
    </>
  );
}

function typesOf(options: readonly { readonly value?: string }[]): string {
  // All of them are the same as none.
  return options.length === EVENT_CHOICES.length ? '' : options.map(({ value }) => value).join(',');
}
