import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Automation = Schemas['Automation'];
export type AutomationCreation = Schemas['AutomationCreation'];
export type AutomationEdit = Schemas['AutomationEdit'];
export type AutomationRun = Schemas['AutomationRun'];

/** Poll interval (ms): the pass that evaluates automations runs every minute. */
const POLL_INTERVAL_MS = 15_000;

const paged = {
  initialPageParam: '',
  getNextPageParam: (page: { next_cursor: string | null }) => page.next_cursor ?? undefined,
  refetchInterval: POLL_INTERVAL_MS,
};
const from = (cursor: string) => ({ limit: 50, ...(cursor !== '' && { cursor }) });

/** The automations with their health, page by page. */
export const automationsQuery = infiniteQueryOptions({
  ...paged,
  queryKey: ['automations'],
  queryFn: async ({ pageParam }) =>
    await dataOf(api.GET('/api/v1/automations', { params: { query: from(pageParam) } })),
});

/** What is due from a time on and before another one (RFC 3339), page by page. */
export const calendarQuery = (due_from: string, due_to: string) =>
  infiniteQueryOptions({
    ...paged,
    refetchInterval: false,
    queryKey: ['automations', '', 'calendar', due_from],
    queryFn: async ({ pageParam }) => {
      const query = { ...from(pageParam), due_from, due_to };
      return await dataOf(api.GET('/api/v1/automations', { params: { query } }));
    },
  });

export const automationQuery = (id: string) =>
  queryOptions({
    queryKey: ['automations', id],
    queryFn: async () => await dataOf(api.GET('/api/v1/automations/{id}', { params: { path: { id } } })),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** The runs of an automation, the newest first, page by page. */
export const runsQuery = (id: string) =>
  infiniteQueryOptions({
    ...paged,
    queryKey: ['automations', id, 'runs'],
    queryFn: async ({ pageParam }) => {
      const params = { path: { id }, query: from(pageParam) };
      return await dataOf(api.GET('/api/v1/automations/{id}/runs', { params }));
    },
  });

/** What would be created, with its next instants. */
export const previewQuery = (body: AutomationCreation) =>
  queryOptions({
    queryKey: ['automations', '', 'preview', body],
    queryFn: async () => await dataOf(api.POST('/api/v1/automations', { params: { query: { dry_run: '1' } }, body })),
    retry: false,
  });
