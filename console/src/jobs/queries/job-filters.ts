import { AGENTS } from '../../../../lib/contract/agents.ts';
import { STATUSES } from '../../../../lib/contract/statuses.ts';

/** The filters and the sort order of the list of jobs, by their API names. They are stored in the page's address. */
export interface JobFilters {
  readonly status?: (typeof STATUSES)[number];
  readonly search?: string;
  readonly project?: string;
  readonly cwd?: string;
  readonly profile?: string;
  readonly agent?: (typeof AGENTS)[number];
  readonly model?: string;
  readonly created_by?: string;
  readonly tag?: string;
  readonly template?: string;
  /** Its id or name. */
  readonly automation?: string;
  /** Id of the thread's first job. The API does not combine it with `search`. */
  readonly thread?: string;
  /** RFC 3339, inclusive. */
  readonly created_after?: string;
  /** RFC 3339, exclusive. */
  readonly created_before?: string;
  /** Absent: newest first. */
  readonly order?: 'oldest';
}

export type FilterName = Exclude<keyof JobFilters, 'order'>;

/** Sets the given filters, clears empty ones, and keeps the others. */
export type ChangeFilters = (changes: Partial<Record<keyof JobFilters, string>>) => void;

/** The change that clears all filters and keeps the order. */
export const NO_FILTERS: Readonly<Record<FilterName, ''>> = {
  status: '',
  search: '',
  project: '',
  cwd: '',
  profile: '',
  agent: '',
  model: '',
  created_by: '',
  tag: '',
  template: '',
  automation: '',
  thread: '',
  created_after: '',
  created_before: '',
};

/** The query of an address with some filters changed, at the first page. */
export function withFilters(before: URLSearchParams, changes: Parameters<ChangeFilters>[0]): URLSearchParams {
  const after = new URLSearchParams(before);
  after.delete('cursor');
  // The API rejects a search within a thread, so the newer of the two replaces the other.
  if (changes.search) after.delete('thread');
  if (changes.thread) after.delete('search');
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') after.delete(name);
    else after.set(name, value);
  }
  return after;
}

/** The filters in the query of an address, without those that the API would reject. */
export function readFilters(parameters: URLSearchParams): JobFilters {
  const text = (name: string) => parameters.get(name)?.trim() || undefined;
  const read = {
    status: STATUSES.find((known) => known === parameters.get('status')),
    search: text('thread') === undefined ? text('search') : undefined,
    project: text('project'),
    cwd: text('cwd'),
    profile: text('profile'),
    agent: AGENTS.find((known) => known === parameters.get('agent')),
    model: text('model'),
    created_by: text('created_by'),
    tag: text('tag'),
    template: text('template'),
    automation: text('automation'),
    thread: text('thread'),
    created_after: timeIn(text('created_after')),
    created_before: timeIn(text('created_before')),
    order: parameters.get('order') === 'oldest' ? 'oldest' : undefined,
  } satisfies Record<keyof JobFilters, string | undefined>;
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

/** The active filters in display order, without the sort order. */
export function activeFilters(filters: JobFilters): readonly (readonly [FilterName, string])[] {
  return Object.keys(NO_FILTERS).flatMap((name) => {
    const value = filters[name as FilterName];
    return value === undefined ? [] : [[name as FilterName, value] as const];
  });
}

function timeIn(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
