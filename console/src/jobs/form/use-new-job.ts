import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { jobCreation } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { notify } from '../../feedback/notices.tsx';
import { fieldErrors } from '../../form/field-errors.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { fieldErrorOf } from '../../form/issue-sentence.ts';
import { useIdempotencyKeys } from '../../form/use-idempotency-keys.ts';
import { jobQuery } from '../queries/job-query.ts';
import { exampleFields } from './examples.ts';
import { creationOf, fieldsOf, type JobErrors, type JobFields, NO_FIELDS } from './job-fields.ts';
import { storedForm, storeForm } from './stored-form.ts';

function knownKey(differs: readonly string[]) {
  const rest = ` It was requested with another ${differs.join(', ')}, and is as it was.`;
  const content = `You have used its idempotency key before.${differs.length === 0 ? '' : rest}`;
  return { type: 'info', header: 'This job exists already', content } as const;
}

/** What the form of a new job contains, and its creation. `?from=ID` or `?example=NAME` in the address fills it. */
export function useNewJob() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const example = exampleFields(parameters.get('example'));
  const isFilled = from !== null || example !== undefined;
  const model = useQuery({ ...jobQuery(from ?? ''), enabled: from !== null, refetchInterval: false });
  const [fields, setFields] = useState<JobFields>(() => (isFilled ? (example ?? NO_FIELDS) : storedForm()));
  const [errors, setErrors] = useState<JobErrors>({});
  const [filledFrom, setFilledFrom] = useState<string>();
  if (model.data && filledFrom !== from && from !== null) {
    setFilledFrom(from);
    setFields(fieldsOf(model.data));
  }
  // A copy of a job, or an example, does not overwrite unsent input.
  useEffect(() => {
    if (!isFilled) storeForm(fields);
  }, [fields, isFilled]);
  const keys = useIdempotencyKeys(`promptq.new-job-keys.${parameters}`);
  const create = useMutation({
    mutationFn: async (draft: boolean) => {
      const origin = model.data && { copied_from: model.data.id };
      const given = { ...creationOf(fields), ...(draft && { draft }), ...origin };
      const body = { idempotency_key: await keys.of(given), ...given };
      return await dataOf(api.POST('/api/v1/jobs', { body: body as Schemas['JobCreation'] }));
    },
    onSuccess: async ({ id, replayed, differs }) => {
      keys.renew();
      if (fields.idempotency_key !== '' && replayed) notify(knownKey(differs));
      if (!isFilled) storeForm(undefined);
      await client.invalidateQueries({ queryKey: ['jobs'] });
      await navigate(`/jobs/${id}`);
    },
    onError: ({ message }) => {
      const fieldError = fieldErrorOf(message);
      if (fieldError === undefined) return;
      setErrors({ [fieldError.field]: fieldError.sentence });
      focusFirstError();
    },
  });
  return {
    fields,
    errors,
    create,
    /** The job that the form was filled from is being loaded, or could not be. */
    model: { isAwaited: from !== null && model.isPending, error: model.error },
    submit: (draft: boolean) => {
      const found = fieldErrors(jobCreation, creationOf(fields));
      setErrors(found);
      if (Object.keys(found).length === 0) create.mutate(draft);
      else focusFirstError();
    },
    change: (change: Partial<JobFields>) => {
      setFields((before) => ({ ...before, ...change }));
      setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in change))));
    },
    /** @returns what undoes it */
    clear: () => {
      const cleared = fields;
      setFields(NO_FIELDS);
      setErrors({});
      create.reset();
      keys.renew();
      return () => setFields(cleared);
    },
  };
}
