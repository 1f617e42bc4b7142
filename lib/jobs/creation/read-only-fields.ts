import { isDeepStrictEqual } from 'node:util';
import { InvalidFieldError } from '../../contract/errors.ts';
import { type JobEditFields, type JobView, jobEdit } from '../../contract/schemas/job.ts';

/** Members that only the answer of a read has: one changes while other jobs do, the other with each attempt. */
const PASSING: ReadonlySet<string> = new Set<keyof JobView>(['queue', 'attempts']);

/**
 * What of a job sent back as read is to be edited.
 * @throws ApiError `invalid_request` for a member that can't be edited and isn't as it is.
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

/** Of `prompt` and `base_prompt`, both sent back but one of them edited, the edited one is meant. */
function withoutUnchangedAlias(fields: JobEditFields, present: JobView): JobEditFields {
  const { prompt, base_prompt, ...rest } = fields;
  if (prompt === undefined || base_prompt === undefined || prompt === base_prompt) return fields;
  if (prompt === present.prompt) return { ...rest, base_prompt };
  return base_prompt === present.prompt ? { ...rest, prompt } : fields;
}
