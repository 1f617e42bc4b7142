import { draftEdit, jobEdit } from '../../../../lib/contract/schemas/job.ts';
import { fieldFaults } from '../../form/field-faults.ts';
import { changesOf, editOf, type JobFaults, type JobFields } from '../form/job-fields.ts';

/** What the API would reject, and what an edit can't express. */
export function editFaults(before: JobFields, after: JobFields, isDraft: boolean): JobFaults {
  const emptied = changesOf(before, after).filter(
    (change) => change.after === '' && !['prompt', 'extra_prompt', 'rule_ids', 'tags'].includes(change.name),
  );
  return {
    ...fieldFaults(isDraft ? draftEdit : jobEdit, editOf(before, after)),
    ...Object.fromEntries(
      emptied.map(({ name }) => [name, 'An edit can replace this value but not remove it. Enter a value.']),
    ),
  };
}
