import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Environment = Schemas['Environment'];
export type Platform = Schemas['Platform'];
export type Host = Schemas['Host'];

/** The environment of the service. */
export const environmentQuery = queryOptions({
  queryKey: ['environment'],
  queryFn: async () => await dataOf(api.GET('/api/v1/environment')),
  refetchInterval: 5_000,
  refetchIntervalInBackground: false,
});

/** What the service can do. It changes with the deployment, its profiles and its workers. */
export const platformQuery = queryOptions({
  queryKey: ['platform'],
  queryFn: async () => await dataOf(api.GET('/api/v1/platform')),
  refetchInterval: 60_000,
  refetchIntervalInBackground: false,
});
