import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Parameter = Schemas['Parameter'];

/** The parameters of a project, by name. */
export const parametersQuery = (project: string) =>
  queryOptions({
    queryKey: ['parameters', project],
    queryFn: async () => await dataOf(api.GET('/api/v1/parameters', { params: { query: { project } } })),
  });

/** What a form gives. An empty description is none. */
export interface ParameterInput {
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

/** Sets a parameter. */
export function useSetParameter(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, ...body }: ParameterInput) =>
      await dataOf(api.PUT('/api/v1/parameters/{name}', { params: { path: { name }, query: { project } }, body })),
    onSettled: async () => await client.invalidateQueries({ queryKey: parametersQuery(project).queryKey }),
  });
}

/** Removes a parameter. */
export function useRemoveParameter(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) =>
      await dataOf(api.DELETE('/api/v1/parameters/{name}', { params: { path: { name }, query: { project } } })),
    onSettled: async () => await client.invalidateQueries({ queryKey: parametersQuery(project).queryKey }),
  });
}
