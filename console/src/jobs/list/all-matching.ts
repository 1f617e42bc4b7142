import { api, dataOf } from '../../api/client.ts';
import type { JobFilters } from '../queries/job-filters.ts';
import type { JobSummary } from '../queries/jobs-query.ts';

/** Maximum selected jobs: as many as a preview can show readably. */
export const SELECTION_LIMIT = 1_000;

/** Jobs per request. */
const PAGE_SIZE = 200;

/**
 * All matching jobs in the order of the list, up to the limit.
 * @throws ApiError with the service's message, or UnreachableError
 */
export async function allMatching(filters: JobFilters): Promise<JobSummary[]> {
  const jobs: JobSummary[] = [];
  for (let cursor: string | undefined; jobs.length < SELECTION_LIMIT; ) {
    const query = { ...filters, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
    const page = await dataOf(api.GET('/api/v1/jobs', { params: { query } }));
    jobs.push(...page.items);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return jobs.slice(0, SELECTION_LIMIT);
}
