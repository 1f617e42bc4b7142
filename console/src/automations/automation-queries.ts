import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

export type Automation = Schemas['Automation'];
export type AutomationCreation = Schemas['AutomationCreation'];

/** Poll interval (ms): the pass that evaluates automations runs every minute. */
const POLL_INTERVAL_MS = 15_000;

/** The first 100 automations. */
export const automationsQuery = queryOptions({
  queryKey: ['automations'],
  queryFn: async () => await dataOf(api.GET('/api/v1/automations', { params: { query: { limit: 100 } } })),
  refetchInterval: POLL_INTERVAL_MS,
});

/** The newest runs of an automation. */
export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ['automations', id, 'runs'],
    queryFn: async () =>
      await dataOf(api.GET('/api/v1/automations/{id}/runs', { params: { path: { id }, query: { limit: 50 } } })),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** What would be created, with its next instants. */
export const previewQuery = (body: AutomationCreation) =>
  queryOptions({
    queryKey: ['automations', 'preview', body],
    queryFn: async () => await dataOf(api.POST('/api/v1/automations', { params: { query: { dry_run: '1' } }, body })),
    retry: false,
  });

export function useCreateAutomation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: AutomationCreation) => await dataOf(api.POST('/api/v1/automations', { body })),
    onSettled: async () => await client.invalidateQueries({ queryKey: automationsQuery.queryKey }),
  });
}

/** What is done with an automation. */
export type Action = 'enable' | 'disable' | 'run' | 'delete';

const DONE: Readonly<Record<Action, string>> = {
  enable: 'enabled',
  disable: 'disabled',
  run: 'run',
  delete: 'deleted',
};

/** Acts on an automation. @returns the id of the job, if it was run */
export function useActOnAutomation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, action }: { readonly id: string; readonly action: Action }) => {
      const params = { path: { id } };
      if (action === 'run') return (await dataOf(api.POST('/api/v1/automations/{id}/run', { params }))).id;
      if (action === 'delete') await dataOf(api.DELETE('/api/v1/automations/{id}', { params }));
      else await dataOf(api.PATCH('/api/v1/automations/{id}', { params, body: { enabled: action === 'enable' } }));
      return undefined;
    },
    onError: (error, { action }) =>
      notify(
        writeFailure(error, {
          rejected: `The automation was not ${DONE[action]}`,
          done: `the automation was ${DONE[action]}`,
          next: 'The list shows its state.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: automationsQuery.queryKey }),
  });
}
