import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

export type DiagramSummary = Schemas['DiagramSummary'];
export type Diagram = Schemas['Diagram'];

const KEY = ['diagrams'] as const;

/** The diagrams of a project, by name, without their texts. */
export const diagramsQuery = (project: string) =>
  queryOptions({
    queryKey: [...KEY, project],
    queryFn: async () => await dataOf(api.GET('/api/v1/diagrams', { params: { query: { project } } })),
  });

export const diagramQuery = (project: string, name: string) =>
  queryOptions({
    queryKey: [...KEY, project, name],
    queryFn: async () => await dataOf(api.GET('/api/v1/diagrams/{name}', { params: paramsOf({ project, name }) })),
  });

interface Place {
  readonly project: string;
  readonly name: string;
}

/** Creates or replaces a diagram. */
export function useWriteDiagram() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ project, name, ...body }: Place & Schemas['DiagramWrite']): Promise<Diagram> =>
      await dataOf(api.PUT('/api/v1/diagrams/{name}', { params: paramsOf({ project, name }), body })),
    onSettled: async () => await client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useDeleteDiagram() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (place: Place) =>
      await dataOf(api.DELETE('/api/v1/diagrams/{name}', { params: paramsOf(place) })),
    onError: (error) =>
      notify(
        writeFailure(error, {
          rejected: 'The diagram could not be deleted',
          done: 'the diagram was deleted',
          next: 'The list is read again and shows whether it still exists.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: KEY }),
  });
}

function paramsOf({ project, name }: Place) {
  return { path: { name }, query: { project } };
}

/** The address of the page with a diagram, or with all of a project. */
export function diagramPath(project: string, name?: string): string {
  return `/diagrams?${new URLSearchParams({ project, ...(name !== undefined && { name }) })}`;
}
