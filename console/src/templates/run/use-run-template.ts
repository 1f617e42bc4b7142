import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import * as z from 'zod';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import type { FieldErrors } from '../../form/field-errors.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { useStoredFields } from '../../form/stored-fields.ts';
import { useIdempotencyKeys } from '../../form/use-idempotency-keys.ts';
import { creationOf, JOB_FIELDS, type JobFields, NO_FIELDS } from '../../jobs/form/job-fields.ts';
import { settingsOf } from '../template-fields.ts';
import type { Template } from '../template-queries.ts';
import { givenValues, runErrors, type TypedValues } from './template-values.ts';

/** What the form holds: values of parameters, and settings that replace those of the template. */
interface RunFields {
  readonly values: TypedValues;
  readonly job: JobFields;
}

const RUN_FIELDS: z.ZodType<RunFields> = z.object({ values: z.record(z.string(), z.string()), job: JOB_FIELDS });

/** The form of a job of a template: its fields, its preview, and the creation of the job. */
export function useRunTemplate(template: Template, { initial, from }: { initial: TypedValues; from: string | null }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [opened] = useState<RunFields>({ values: initial, job: settingsOf(template) });
  const stored = useStoredFields(`run-template.${template.name}.${from}`, RUN_FIELDS, {
    fields: opened,
    openedAt: null,
  });
  const { values, job } = stored.fields;
  const [errors, setErrors] = useState<FieldErrors<string>>({});
  const keys = useIdempotencyKeys(`promptq.run-template-keys.${template.name}`);
  const changed = Object.entries(job).filter(([name, value]) => value !== opened.job[name as keyof JobFields]);
  const { prompt: _, rule_ids: __, ...settings } = creationOf({ ...NO_FIELDS, ...Object.fromEntries(changed) });
  const parameters = givenValues(template.parameters, values);
  const request = { template: template.name, template_version: template.version, parameters, ...settings };
  const onError = (error: Error) => {
    const found = runErrors(error);
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstError();
  };
  const preview = useMutation({
    mutationFn: async () => {
      const { profile, project } = settings;
      const body = {
        ...{ template_version: template.version, parameters },
        ...(profile !== undefined && { profile }),
        ...(project !== undefined && { project }),
      };
      const params = { path: { name: template.name } };
      return await dataOf(api.POST('/api/v1/templates/{name}/render', { params, body }));
    },
    onError,
  });
  const create = useMutation({
    mutationFn: async (draft: boolean) => {
      const given = { ...request, ...(draft && { draft }) };
      const body = { idempotency_key: await keys.of(given), ...given };
      return await dataOf(api.POST('/api/v1/jobs', { body: body as Schemas['JobCreation'] }));
    },
    onSuccess: async ({ id }) => {
      keys.renew();
      stored.forget();
      await client.invalidateQueries({ queryKey: ['jobs'] });
      await navigate(`/jobs/${id}`);
    },
    onError,
  });
  const change = (make: (now: RunFields) => Partial<RunFields>, names: readonly string[]) => {
    stored.change(make);
    // It shows other values than the form now.
    preview.reset();
    create.reset();
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !names.includes(field))));
  };
  return {
    ...{ values, job, errors, preview, create },
    /** The body of the request, without idempotency key. */
    request,
    show: () => {
      setErrors({});
      preview.mutate();
    },
    submit: (draft: boolean) => {
      setErrors({});
      create.mutate(draft);
    },
    changeValue: (name: string, value: string) =>
      change((now) => ({ values: { ...now.values, [name]: value } }), [`parameters.${name}`, 'parameters']),
    changeJob: (fields: Partial<JobFields>) =>
      change((now) => ({ job: { ...now.job, ...fields } }), Object.keys(fields)),
  };
}
