import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, dataOf } from '../../api/client.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { useStoredFields } from '../../form/stored-fields.ts';
import type { JobFields } from '../../jobs/form/job-fields.ts';
import { automationPath } from '../../page/automation-link.tsx';
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
  const kept = stored === undefined ? {} : keptOf(stored.job);
  const show = (found: AutomationErrors) => {
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstError();
  };
  const save = useMutation({
    mutationFn: async () => {
      if (stored === undefined) return await dataOf(api.POST('/api/v1/automations', { body: bodyOf(fields) }));
      const params = { path: { id: stored.id } };
      return await dataOf(api.PATCH('/api/v1/automations/{id}', { params, body: editOf(opened, fields, kept) }));
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
    ...{ fields, errors, save },
    discard: form.forget,
    submit: () => {
      const found = faultsOf(
        stored === undefined ? bodyOf(fields) : editOf(opened, fields, kept),
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
      setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name))));
    },
  };
}
