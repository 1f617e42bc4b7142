import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Template = Schemas['Template'];
export type TemplateParameter = Schemas['TemplateParameterView'];

const paged = {
  initialPageParam: '',
  getNextPageParam: (page: { next_cursor: string | null }) => page.next_cursor ?? undefined,
};
const from = (cursor: string) => (cursor === '' ? {} : { cursor });

/** The newest version of each template, page by page. */
export const templatesQuery = infiniteQueryOptions({
  ...paged,
  queryKey: ['templates'],
  queryFn: async ({ pageParam }) => await dataOf(api.GET('/api/v1/templates', { params: { query: from(pageParam) } })),
});

/** A version of a template; undefined: the newest, which a deleted template does not have. */
export function templateQuery(name: string, version?: number) {
  return queryOptions({
    queryKey: ['templates', name, version ?? 'newest'],
    queryFn: async () => {
      const params = { path: { name }, query: version === undefined ? {} : { version } };
      return await dataOf(api.GET('/api/v1/templates/{name}', { params }));
    },
  });
}

/** The versions of a template, newest first, page by page. */
export function versionsQuery(name: string) {
  return infiniteQueryOptions({
    ...paged,
    queryKey: ['templates', name, 'versions'],
    queryFn: async ({ pageParam }) => {
      const params = { path: { name }, query: from(pageParam) };
      return await dataOf(api.GET('/api/v1/templates/{name}/versions', { params }));
    },
  });
}
