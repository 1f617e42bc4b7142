import { isDeepStrictEqual } from 'node:util';
import { InvalidFieldError } from '../../contract/errors.ts';
import type { JobView } from '../../contract/schemas/jobs/job.ts';
import { type JobEditFields, jobEdit } from '../../contract/schemas/jobs/job-creation.ts';

/** Members of a job's view that change without a change of the job; `version` guards all others. */
const PASSING: ReadonlySet<string> = new Set<keyof JobView>(['queue', 'attempts', 'state_reason', 'deployments']);

/**
 * The editable fields of a job that a client sent back as it was read.
 * @throws InvalidFieldError for a member that can't be edited and differs from the present value
 */
export function editableOf(sent: Readonly<Record<string, unknown>>, present: JobView): JobEditFields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    if (value === undefined || PASSING.has(name)) continue;
    if (name in jobEdit.shape) {
      fields[name] = value;
    } else if (!isDeepStrictEqual(value, present[name as keyof JobView])) {
      throw InvalidFieldError.of(
        name,
        `can't be edited; leave it out, or send it as it is: ${JSON.stringify(present[name as keyof JobView])}`,
      );
    }
  }
  return withoutUnchangedAlias(fields, present);
}

/** If both `prompt` and `base_prompt` are sent and only one differs from the present value, that one is the edit. */
function withoutUnchangedAlias(fields: JobEditFields, present: JobView): JobEditFields {
  const { prompt, base_prompt, ...rest } = fields;
  if (prompt === undefined || base_prompt === undefined || prompt === base_prompt) return fields;
  if (prompt === present.prompt) return { ...rest, base_prompt };
  return base_prompt === present.prompt ? { ...rest, prompt } : fields;
}
