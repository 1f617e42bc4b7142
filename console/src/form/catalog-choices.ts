import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';

/** Maximum pages of a list that are read for suggestions. Other values can still be typed. */
const PAGES = 10;

async function all<T>(
  page: (cursor: string | undefined) => Promise<{ items: T[]; next_cursor: string | null }>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < PAGES; count += 1) {
    const read = await page(cursor);
    items.push(...read.items);
    if (read.next_cursor === null) break;
    cursor = read.next_cursor;
  }
  return items;
}

const query = (cursor: string | undefined) => ({ params: { query: cursor === undefined ? {} : { cursor } } });

/** The profiles to choose from. */
export const profilesQuery = queryOptions({
  queryKey: ['choices', 'profiles'],
  queryFn: async () => await all(async (cursor) => await dataOf(api.GET('/api/v1/profiles', query(cursor)))),
});

/** The rules to choose from, with their texts. */
export const rulesQuery = queryOptions({
  queryKey: ['choices', 'rules'],
  queryFn: async () => await all(async (cursor) => await dataOf(api.GET('/api/v1/rules', query(cursor)))),
});

/** The templates to choose from, each in its newest version. */
export const templatesQuery = queryOptions({
  queryKey: ['choices', 'templates'],
  queryFn: async () => await all(async (cursor) => await dataOf(api.GET('/api/v1/templates', query(cursor)))),
});

/** The automations to choose from. */
export const automationNamesQuery = queryOptions({
  queryKey: ['choices', 'automations'],
  queryFn: async () => await all(async (cursor) => await dataOf(api.GET('/api/v1/automations', query(cursor)))),
});

/** All projects. */
export const projectsQuery = queryOptions({
  queryKey: ['choices', 'projects'],
  queryFn: async () => await all(async (cursor) => await dataOf(api.GET('/api/v1/projects', query(cursor)))),
});

/** The deployment's settings. */
export const environmentQuery = queryOptions({
  queryKey: ['choices', 'environment'],
  queryFn: async () => await dataOf(api.GET('/api/v1/environment')),
});
