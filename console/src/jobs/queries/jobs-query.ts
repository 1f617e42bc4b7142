import { keepPreviousData } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import type { JobFilters } from './job-filters.ts';

export type JobSummary = Schemas['JobSummary'];

/** Jobs per page. */
const PAGE_SIZE = 50;

/** A page of the list of jobs; the first one if `cursor` is undefined. */
export function jobsQuery(filters: JobFilters, cursor: string | undefined) {
  return {
    queryKey: ['jobs', filters, cursor] as const,
    queryFn: async () =>
      await dataOf(
        api.GET('/api/v1/jobs', { params: { query: { ...filters, limit: PAGE_SIZE, ...(cursor && { cursor }) } } }),
      ),
    placeholderData: keepPreviousData,
    // No requests while the page is in the background.
    refetchInterval: 3_000,
    refetchIntervalInBackground: false,
  };
}
