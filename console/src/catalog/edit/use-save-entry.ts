import { useMutation, useQueryClient } from '@tanstack/react-query';
import { validationErrorsOf } from '../../api/api-error.ts';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import type { FieldErrors } from '../../form/field-errors.ts';
import { fieldErrorOf } from '../../form/issue-sentence.ts';

interface Save {
  readonly list: 'rules' | 'profiles' | 'templates';
  readonly entry: Record<string, unknown>;
  /** Previews the changes without saving. */
  readonly dryRun: boolean;
}

/** The result of a save, or of its preview. */
export type Effect = 'created' | 'updated' | 'unchanged';

/**
 * Saves one entry as an import of that entry only. A dry run returns what would change.
 * @param reload awaited after the response: the save, or its review, has failed if this does
 * @throws ApiError
 */
export function useSaveEntry(reload?: () => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ list, entry, dryRun }: Save): Promise<Effect> => {
      const params = { query: dryRun ? ({ dry_run: '1' } as const) : {} };
      // The service validates it and returns every error.
      const body = { [list]: [entry] } as Schemas['ConfigDocument'];
      const result = await dataOf(api.POST('/api/v1/config/import', { params, body }));
      await reload?.();
      const { created, updated } = result[list];
      if (created.length > 0) return 'created';
      return updated.length > 0 ? 'updated' : 'unchanged';
    },
    onSettled: async (_, __, { dryRun }) => {
      if (!dryRun) await client.invalidateQueries();
    },
  });
}

/** The errors of a response by field; empty if it names no field. */
export function rejectedFields(error: Error): FieldErrors<string> {
  const named = validationErrorsOf(error).map((sentence) =>
    fieldErrorOf(sentence.replace(/^body\.(?:rules|profiles|templates)\[0\]\./, 'body.')),
  );
  return Object.fromEntries(named.filter((one) => one !== undefined).map(({ field, sentence }) => [field, sentence]));
}
