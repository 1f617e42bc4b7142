import { draftEdit, jobEdit } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { fieldErrors } from '../../form/field-errors.ts';
import { changesOf, editOf, type FieldChange, type JobErrors, type JobFields } from '../form/job-fields.ts';

/** What the API would reject, and what an edit can't express. */
export function editErrors(before: JobFields, after: JobFields, isDraft: boolean): JobErrors {
  const emptied = changesOf(before, after).filter((change) => change.after === '' && !REMOVABLE.has(change.name));
  return {
    ...fieldErrors(isDraft ? draftEdit : jobEdit, editOf(before, after)),
    ...Object.fromEntries(
      emptied.map(({ name }) => [name, 'An edit can replace this value but not remove it. Enter a value.']),
    ),
  };
}

/** Fields that an edit can empty. The API says why an empty prompt is rejected. */
const REMOVABLE = new Set<FieldChange['name']>(['prompt', 'extra_prompt', 'rule_ids', 'title', 'tags']);
