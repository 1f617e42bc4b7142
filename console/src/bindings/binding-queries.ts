import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';

export type Binding = Schemas['DeployBinding'];
export type BindingWrite = Schemas['DeployBindingWrite'];

/** The deploy bindings, by project and name. */
export const bindingsQuery = queryOptions({
  queryKey: ['bindings'],
  queryFn: async () => await dataOf(api.GET('/api/v1/deploy-bindings')),
});

/** Creates or updates a binding. A generated secret is only in this response. */
export function useWriteBinding() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: BindingWrite): Promise<Binding> =>
      await dataOf(api.POST('/api/v1/deploy-bindings', { body })),
    gcTime: 0,
    onSuccess: async () => await client.invalidateQueries({ queryKey: bindingsQuery.queryKey }),
  });
}

/** Deletes a binding. */
export function useDeleteBinding() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      await dataOf(api.DELETE('/api/v1/deploy-bindings/{id}', { params: { path: { id } } })),
    onError: (error) => notify({ type: 'error', header: 'The binding could not be deleted', content: error.message }),
    onSettled: async () => await client.invalidateQueries({ queryKey: bindingsQuery.queryKey }),
  });
}
