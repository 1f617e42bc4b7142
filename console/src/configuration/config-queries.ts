import { useMutation, useQueryClient } from '@tanstack/react-query';
import { stringify } from 'yaml';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { readDocument } from './parse-document.ts';

export type ImportResult = Schemas['ImportResult'];

/** Imports a YAML or JSON document, or only returns what would change. @throws DocumentError, ApiError */
export function useImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ text, dryRun }: { text: string; dryRun: boolean }): Promise<ImportResult> =>
      await dataOf(
        api.POST('/api/v1/config/import', {
          params: { query: dryRun ? { dry_run: '1' } : {} },
          // The service validates it and returns every error.
          body: readDocument(text) as Schemas['ConfigDocument'],
        }),
      ),
    onSettled: async (_, __, { dryRun }) => {
      if (!dryRun) await client.invalidateQueries();
    },
  });
}

/** Downloads the configuration as a file. @throws ApiError */
export async function downloadExport(): Promise<void> {
  const document = await dataOf(api.GET('/api/v1/config/export'));
  const url = URL.createObjectURL(new Blob([stringify(document)], { type: 'application/yaml' }));
  const link = window.document.createElement('a');
  link.href = url;
  link.download = 'promptq.config.yaml';
  link.click();
  URL.revokeObjectURL(url);
}
