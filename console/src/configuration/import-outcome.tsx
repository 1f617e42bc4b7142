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
  const lines = (['rules', 'profiles'] as const).flatMap((kind) =>
    (['created', 'updated', 'unchanged'] as const).flatMap((what) => {
      const names = result[kind][what];
      return names.length === 0 ? [] : [`${kind} ${what}: ${names.join(', ')}`];
    }),
  );
  const isChange = [result.rules, result.profiles].some((of) => of.created.length + of.updated.length > 0);
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
