import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type Delivery = Schemas['HookDelivery'];

/** Poll interval (ms): deliveries come at any time. */
const POLL_INTERVAL_MS = 5_000;

const keyOf = (id: string) => ['automations', id, 'deliveries'];

/** The newest deliveries to a hook, and why requests were refused. */
export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async () => await dataOf(api.GET('/api/v1/automations/{id}/deliveries', { params: { path: { id } } })),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** Sends a delivery, of a body that is given or of an earlier delivery. */
export function useDeliver(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (what: { readonly body: string } | { readonly delivery: string }) => {
      if ('body' in what) {
        const params = { path: { id } };
        return await dataOf(api.POST('/api/v1/automations/{id}/deliveries', { params, body: what }));
      }
      const params = { path: { id, delivery: what.delivery } };
      return await dataOf(api.POST('/api/v1/automations/{id}/deliveries/{delivery}/resend', { params }));
    },
    onSettled: async () => await client.invalidateQueries({ queryKey: ['automations', id] }),
  });
}

/** Replaces the secret of a hook, by one that its sender has made or by a new one. */
export function useReplaceSecret(id: string) {
  return useMutation({
    mutationFn: async (secret: string) => {
      const params = { path: { id } };
      const body = secret === '' ? {} : { secret };
      return (await dataOf(api.POST('/api/v1/automations/{id}/secret', { params, body }))).secret;
    },
  });
}
