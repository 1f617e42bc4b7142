import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Environment = Schemas['Environment'];
export type Host = Schemas['Host'];

/** The environment of the service. */
export const environmentQuery = queryOptions({
  queryKey: ['environment'],
  queryFn: async () => await dataOf(api.GET('/api/v1/environment')),
  refetchInterval: 5_000,
  refetchIntervalInBackground: false,
});
