import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Stats = Schemas['Stats'];
export type Day = Stats['jobs']['by_day'][number];

/** Statistics of jobs, projects and tokens. */
export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: async () => await dataOf(api.GET('/api/v1/stats')),
  refetchInterval: 15_000,
  refetchIntervalInBackground: false,
});
