import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type AuditRow = Schemas['AuditRow'];

/** The filters of the audit log. Empty ones are not applied. */
export interface AuditFilters {
  readonly actor: string;
  readonly action: string;
  /** Days as `2026-11-20` in the browser's time zone, both inclusive. */
  readonly since: string;
  readonly until: string;
}

export const NO_AUDIT_FILTERS: AuditFilters = { actor: '', action: '', since: '', until: '' };

/** The audit log, newest first, page by page. */
export function auditQuery({ since, until, ...names }: AuditFilters) {
  const query = { ...names, since: midnight(since, 0), until: midnight(until, 1) };
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
  return infiniteQueryOptions({
    queryKey: ['audit', given],
    queryFn: async ({ pageParam }) =>
      await dataOf(
        api.GET('/api/v1/audit-logs', { params: { query: { ...given, ...(pageParam && { cursor: pageParam }) } } }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/**
 * The start of a day in the browser's time zone, or of the day `later` days after it. Nothing if the text is not a day.
 */
function midnight(day: string, later: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const begins = new Date(year, month - 1, date + later);
  return day === '' || Number.isNaN(begins.getTime()) ? '' : begins.toISOString();
}
