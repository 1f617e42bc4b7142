import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Project = Schemas['Project'];
export type Rule = Schemas['Rule'];
export type Profile = Schemas['Profile'];

const paged = {
  initialPageParam: '',
  getNextPageParam: (page: { next_cursor: string | null }) => page.next_cursor ?? undefined,
};
const from = (cursor: string) => ({ params: { query: cursor === '' ? {} : { cursor } } });

/** The projects with the counts of their jobs, page by page. */
export const projectsQuery = infiniteQueryOptions({
  ...paged,
  queryKey: ['projects'],
  queryFn: async ({ pageParam }) => await dataOf(api.GET('/api/v1/projects', from(pageParam))),
});

/** The rules, page by page. */
export const rulesQuery = infiniteQueryOptions({
  ...paged,
  queryKey: ['rules'],
  queryFn: async ({ pageParam }) => await dataOf(api.GET('/api/v1/rules', from(pageParam))),
});

/** The profiles, page by page, built-in ones first. */
export const profilesQuery = infiniteQueryOptions({
  ...paged,
  queryKey: ['profiles'],
  queryFn: async ({ pageParam }) => await dataOf(api.GET('/api/v1/profiles', from(pageParam))),
});
