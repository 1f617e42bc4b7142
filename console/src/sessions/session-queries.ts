import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

/** Milliseconds. */
const POLL_INTERVAL_MS = 30_000;

/** The browser sessions of all users, newest first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => await dataOf(api.GET('/api/v1/sessions')),
  refetchInterval: POLL_INTERVAL_MS,
});

/** Ends a session by its id. */
export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => await dataOf(api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } })),
    onError: (error) =>
      notify(
        writeFailure(error, {
          rejected: 'The session could not be ended',
          done: 'the session was ended',
          next: 'The list is read again and shows whether it is still active.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}
