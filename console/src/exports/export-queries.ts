import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

export type Export = Schemas['ExportSummary'];

/** Poll interval (ms) while an export is being written. */
const POLL_INTERVAL_MS = 1_500;

/** The exports, newest first. */
export const exportsQuery = queryOptions({
  queryKey: ['exports'],
  queryFn: async () => await dataOf(api.GET('/api/v1/exports')),
  refetchInterval: ({ state }) =>
    state.data?.items.some(({ status }) => status === 'queued' || status === 'running') ? POLL_INTERVAL_MS : false,
});

/** Starts an export. */
export function useStartExport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas['ExportCreation']) => await dataOf(api.POST('/api/v1/exports', { body })),
    onSettled: async () => await client.invalidateQueries({ queryKey: exportsQuery.queryKey }),
  });
}

export function useDeleteExport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => await dataOf(api.DELETE('/api/v1/exports/{id}', { params: { path: { id } } })),
    onError: (error) =>
      notify(
        writeFailure(error, {
          rejected: 'The export was not deleted',
          done: 'the export was deleted',
          next: 'The list shows what is there.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: exportsQuery.queryKey }),
  });
}

/** Downloads a file of an export by a new link: the browser stays on the page, because the store sends it as a download. */
export function useDownload() {
  return useMutation({
    mutationFn: async ({ id, raw }: { readonly id: string; readonly raw: boolean }) => {
      const found = await dataOf(api.GET('/api/v1/exports/{id}', { params: { path: { id } } }));
      const url = raw ? found.raw_url : found.url;
      if (url === null) throw new Error('Your role does not allow this.');
      window.location.assign(url);
    },
    onError: (error) => notify({ type: 'error', header: 'The file could not be downloaded', content: error.message }),
  });
}
