import { type JobFields, NO_FIELDS } from '../jobs/form/job-fields.ts';
import type { Template } from './template-queries.ts';

/** The settings of a template as a form has them, without texts and rules. */
export function settingsOf(template: Template): JobFields {
  const text = (value: string | number | null) => (value === null ? '' : String(value));
  return {
    ...NO_FIELDS,
    profile: text(template.profile),
    model: text(template.model),
    priority: text(template.priority),
    timeout: text(template.timeout),
    retries: text(template.retries),
    cwd: text(template.cwd),
    project: text(template.project),
    tags: (template.tags ?? []).join(', '),
  };
}
