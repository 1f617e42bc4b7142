import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type AuditRow = Schemas['AuditRow'];

/** What the audit log is narrowed to; empty: not. */
export interface AuditFilters {
  readonly actor: string;
  readonly action: string;
  /** Days as `2026-11-20` in the browser's own time: from the first one's beginning to the second one's end. */
  readonly since: string;
  readonly until: string;
}

export const NO_AUDIT_FILTERS: AuditFilters = { actor: '', action: '', since: '', until: '' };

/** Who did what, newest first, page by page. */
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

/** When a day of the browser's own time begins, or one that is `later` days after it. Nothing for what is no day. */
function midnight(day: string, later: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const begins = new Date(year, month - 1, date + later);
  return day === '' || Number.isNaN(begins.getTime()) ? '' : begins.toISOString();
}
