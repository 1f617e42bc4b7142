import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { AGENTS } from '../../../../lib/contract/agents.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { automationNamesQuery, profilesQuery, projectsQuery, templatesQuery } from '../../form/catalog-choices.ts';
import type { Suggestion } from '../../form/match-suggestion.ts';
import type { ChangeFilters, FilterName, JobFilters } from '../queries/job-filters.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { FILTER_LABELS } from './filter-words.ts';
import { SuggestBox } from './suggest-box.tsx';
import { TimeBox } from './time-box.tsx';
import './filter-panel.css';

interface FilterPanelProps {
  readonly filters: JobFilters;
  readonly onChange: ChangeFilters;
  /** The jobs of the current page, whose values are suggested. */
  readonly jobs: readonly JobSummary[];
}

const ANY = { value: '', label: 'Any' } as const;
const AGENT_OPTIONS = [ANY, ...AGENTS.map((agent) => ({ value: agent, label: agent }))];
const ORDERS = [
  { value: '', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
] as const;

/** All filters except state and search, and the sort order. */
export function FilterPanel({ filters, onChange, jobs }: FilterPanelProps) {
  const { data: projects, isPending: areProjectsLoading } = useQuery(projectsQuery);
  const { data: templates } = useQuery(templatesQuery);
  const { data: automations } = useQuery(automationNamesQuery);
  const { data: profiles, isPending: areProfilesLoading } = useQuery(profilesQuery);
  // A stable callback per filter, so that a refresh does not restart a field's pause.
  const setters = useMemo(() => {
    const setter = (name: FilterName) => (value: string) => onChange({ [name]: value });
    return { after: setter('created_after'), before: setter('created_before'), set: setter };
  }, [onChange]);
  const box = (
    name: FilterName,
    suggestions: readonly Suggestion[],
    isWhole = false,
    maxLength: number = LIMITS.nameLength,
  ) => (
    <SuggestBox
      label={FILTER_LABELS[name]}
      value={filters[name] ?? ''}
      suggestions={suggestions}
      isWhole={isWhole}
      isLoading={(name === 'project' && areProjectsLoading) || (name === 'profile' && areProfilesLoading)}
      maxLength={maxLength}
      onFilter={setters.set(name)}
    />
  );
  const models = [...(profiles ?? []).map(({ model }) => model), ...jobs.flatMap((job) => [job.model, job.model_used])];
  return (
    <search className="filter-panel" aria-label="Filters">
      {box(
        'project',
        (projects ?? []).map(({ id, name }) => ({ value: id, label: name })),
        true,
        LIMITS.projectNameLength,
      )}
      {box('profile', named((profiles ?? []).map(({ name }) => name)), true)}
      <FormField label={FILTER_LABELS.agent}>
        <Select
          selectedOption={AGENT_OPTIONS.find(({ value }) => value === filters.agent) ?? ANY}
          options={AGENT_OPTIONS}
          onChange={({ detail }) => onChange({ agent: detail.selectedOption.value ?? '' })}
        />
      </FormField>
      {box('model', named(models))}
      {box('tag', named(jobs.flatMap(({ tags }) => tags)), false, LIMITS.tags.length)}
      {box('template', named((templates ?? []).map(({ name }) => name)))}
      {box(
        'automation',
        (automations ?? []).map(({ id, name }) => ({ value: id, label: name })),
        true,
      )}
      {box('thread', named(jobs.flatMap((job) => (job.continues === null ? [] : job.thread_id))))}
      {box('created_by', named(jobs.map((job) => job.created_by)))}
      {box('cwd', named(jobs.map(({ cwd }) => cwd)), false, LIMITS.cwdLength)}
      <TimeBox label={FILTER_LABELS.created_after} value={filters.created_after ?? ''} onFilter={setters.after} />
      <TimeBox label={FILTER_LABELS.created_before} value={filters.created_before ?? ''} onFilter={setters.before} />
      <FormField label="Order">
        <Select
          selectedOption={filters.order === 'oldest' ? ORDERS[1] : ORDERS[0]}
          options={ORDERS}
          onChange={({ detail }) => onChange({ order: detail.selectedOption.value ?? '' })}
        />
      </FormField>
    </search>
  );
}

/** The unique names, sorted. */
function named(names: readonly (string | null | undefined)[]): Suggestion[] {
  const known = new Set(names.flatMap((name) => name || []));
  return [...known].sort((one, other) => one.localeCompare(other)).map((value) => ({ value }));
}
