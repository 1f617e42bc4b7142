import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

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
    onSettled: async () => await client.invalidateQueries({ queryKey: bindingsQuery.queryKey }),
  });
}

/** Deletes a binding. */
export function useDeleteBinding() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      await dataOf(api.DELETE('/api/v1/deploy-bindings/{id}', { params: { path: { id } } })),
    onError: (error) =>
      notify(
        writeFailure(error, {
          rejected: 'The binding could not be deleted',
          done: 'the binding was deleted',
          next: 'The list is read again and shows whether it still exists.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: bindingsQuery.queryKey }),
  });
}
