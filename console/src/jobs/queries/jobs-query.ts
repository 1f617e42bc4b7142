import { keepPreviousData } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import type { JobFilters } from './job-filters.ts';

export type JobSummary = Schemas['JobSummary'];

/** How many jobs a page of the list shows. */
const PAGE_SIZE = 50;

/** A page of the list of jobs, newest first; `cursor` undefined: the first. */
export function jobsQuery(filters: JobFilters, cursor: string | undefined) {
  return {
    queryKey: ['jobs', filters, cursor] as const,
    queryFn: async () =>
      await dataOf(
        api.GET('/api/v1/jobs', { params: { query: { ...filters, limit: PAGE_SIZE, ...(cursor && { cursor }) } } }),
      ),
    placeholderData: keepPreviousData,
    // Nothing is asked for while nobody looks.
    refetchInterval: 3_000,
    refetchIntervalInBackground: false,
  };
}
