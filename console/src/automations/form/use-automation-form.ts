import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, dataOf } from '../../api/client.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { useStoredFields } from '../../form/stored-fields.ts';
import type { JobFields } from '../../jobs/form/job-fields.ts';
import { automationPath } from '../../page/automation-link.tsx';
import { templateQuery } from '../../templates/template-queries.ts';
import { type Automation, automationsQuery } from '../automation-queries.ts';
import {
  AUTOMATION_FIELDS,
  type AutomationErrors,
  type AutomationFields,
  bodyOf,
  editOf,
  faultsOf,
  fieldsOf,
  keptOf,
  NEW_FIELDS,
  responseFaults,
} from './automation-fields.ts';

/** The state of the form of an automation. @param stored the one that is edited; undefined: a new one */
export function useAutomationForm(stored: Automation | undefined) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [opened] = useState<AutomationFields>(() => (stored === undefined ? NEW_FIELDS : fieldsOf(stored)));
  const form = useStoredFields(`automation.${stored?.id ?? ''}`, AUTOMATION_FIELDS, {
    fields: opened,
    openedAt: stored?.updated_at ?? null,
  });
  const { fields } = form;
  const [errors, setErrors] = useState<AutomationErrors>({});
  const template = useQuery({ ...templateQuery(fields.template), enabled: fields.template !== '' });
  const { parameters } = template.data ?? { parameters: [] };
  const beside = { kept: stored === undefined ? {} : keptOf(stored.job), parameters };
  const show = (found: AutomationErrors) => {
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstError();
  };
  const save = useMutation({
    mutationFn: async () => {
      if (stored === undefined) return await dataOf(api.POST('/api/v1/automations', { body: bodyOf(fields, beside) }));
      const params = { path: { id: stored.id } };
      return await dataOf(api.PATCH('/api/v1/automations/{id}', { params, body: editOf(opened, fields, beside) }));
    },
    onSuccess: async ({ id, trigger }) => {
      form.forget();
      await client.invalidateQueries({ queryKey: automationsQuery.queryKey });
      // A secret is shown before the form is left, because it is not shown again.
      if (trigger.hook?.secret == null) await navigate(automationPath(id));
    },
    onError: (error) => show(responseFaults(error)),
  });
  return {
    ...{ fields, errors, save, template },
    discard: form.forget,
    submit: () => {
      const found = faultsOf(
        stored === undefined ? bodyOf(fields, beside) : editOf(opened, fields, beside),
        stored !== undefined,
      );
      show(found);
      if (Object.keys(found).length === 0) save.mutate();
    },
    change: (changed: Partial<AutomationFields>) => {
      form.change(changed);
      const job = Object.entries(changed.job ?? {}).filter(
        ([name, value]) => value !== fields.job[name as keyof JobFields],
      );
      const names = [...Object.keys(changed), ...job.map(([name]) => name)];
      if (changed.values !== undefined)
        names.push(...Object.keys(errors).filter((name) => name.startsWith('parameters')));
      setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name))));
    },
  };
}
