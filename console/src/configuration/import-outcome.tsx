import Alert from '@cloudscape-design/components/alert';
import { validationErrorsOf } from '../api/api-error.ts';
import { mayHaveTakenEffect } from '../api/may-have-taken-effect.ts';
import { WriteFailure } from '../feedback/write-failure.tsx';
import type { ImportResult } from './config-queries.ts';

/** Why a document was rejected: every error with its location. */
export function ImportErrors({ error, dryRun }: { error: Error; dryRun: boolean }) {
  const errors = validationErrorsOf(error);
  if (!dryRun && mayHaveTakenEffect(error))
    return (
      <WriteFailure
        error={error}
        rejected="Nothing was changed"
        done="the document was imported"
        next="Another check shows what it would still change."
      />
    );
  return (
    <Alert
      type="error"
      header={errors.length === 1 ? 'Nothing was changed' : `Nothing was changed: ${errors.length} errors`}
    >
      <ul>
        {errors.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Alert>
  );
}

/** What an import changed or would change. */
export function ImportChanges({ result }: { result: ImportResult }) {
  const { dry_run: _, ...lists } = result;
  const lines = Object.entries(lists).flatMap(([list, changes]) =>
    (['created', 'updated', 'unchanged'] as const).flatMap((what) => {
      const names = changes[what];
      return names.length === 0 ? [] : [`${list} ${what}: ${names.join(', ')}`];
    }),
  );
  const isChange = changedNames(result).length > 0;
  return (
    <Alert type={result.dry_run ? 'info' : 'success'} header={headerOf(result.dry_run, isChange)}>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Alert>
  );
}

function headerOf(isDryRun: boolean, isChange: boolean): string {
  if (!isDryRun) return 'Imported';
  return isChange ? 'Preview: nothing has changed yet' : 'The configuration already matches: nothing would change';
}

/** The entries that an import changed or would change. */
export function changedNames({ dry_run: _, ...lists }: ImportResult): string[] {
  return Object.values(lists).flatMap(({ created, updated }) => [...created, ...updated]);
}
