import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf } from './client.ts';

/** The signed-in user. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => await dataOf(api.GET('/api/v1/session')),
  staleTime: 60_000,
});

/** Whether the signed-in user may act on jobs. The service checks every request as well. */
export function useMayAct(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.role === 'operator' || data?.role === 'admin';
}

/** Whether the signed-in user may manage tokens, the vendor account and the configuration. */
export function useMayAdminister(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.role === 'admin';
}
