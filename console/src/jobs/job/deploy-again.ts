import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { notify } from '../../feedback/notices.tsx';

/** Has a deploy binding, given by its id, act once more on a job that succeeded. */
export function useDeployAgain(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (binding: string) =>
      await dataOf(api.POST('/api/v1/jobs/{id}/deployments/{binding}/retry', { params: { path: { id, binding } } })),
    onError: ({ message }) => notify({ type: 'error', header: 'The binding could not act again', content: message }),
    onSettled: async () => await client.invalidateQueries({ queryKey: ['job', id] }),
  });
}
