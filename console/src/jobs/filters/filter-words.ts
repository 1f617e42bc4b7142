import { exactTime } from '../../format/time-preference.ts';
import { activeFilters, type FilterName, type JobFilters } from '../queries/job-filters.ts';
import { statusText } from '../status/job-status.tsx';

/** The label of each filter, in the panel and on its chip. */
export const FILTER_LABELS: Readonly<Record<FilterName, string>> = {
  status: 'State',
  search: 'Search',
  project: 'Project',
  cwd: 'Folder',
  profile: 'Profile',
  agent: 'Agent',
  model: 'Model',
  created_by: 'Created by',
  tag: 'Tag',
  template: 'Template',
  automation: 'Automation',
  thread: 'Thread',
  created_after: 'Created after',
  created_before: 'Created before',
};

/** A filter as text, such as `State: Failed`. */
export function filterText(name: FilterName, value: string): string {
  return `${FILTER_LABELS[name]}: ${valueText(name, value)}`;
}

/** All active filters in one line. */
export function filtersText(filters: JobFilters): string {
  const texts = activeFilters(filters).map(([name, value]) => filterText(name, value));
  return [...texts, ...(filters.order === 'oldest' ? ['Oldest first'] : [])].join(', ');
}

function valueText(name: FilterName, value: string): string {
  if (name === 'status') return statusText(value as NonNullable<JobFilters['status']>);
  return name === 'created_after' || name === 'created_before' ? exactTime(value).replace(/:00$/, '') : value;
}
