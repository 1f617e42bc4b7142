import Alert from '@cloudscape-design/components/alert';
import { exactTime } from '../../format/time-preference.ts';
import { isOutputDeleted, type Job } from '../queries/job-query.ts';

/** Says that an administrator had the output deleted. */
export function DeletedOutput({ job }: { job: Job }) {
  const { output_deleted_at: at, output_deleted_by: by, output_deleted_attempt: last } = job;
  if (at === null) return null;
  const of = isOutputDeleted(job) ? '' : last === 1 ? ' of attempt 1' : ` of attempts 1 to ${last}`;
  return <Alert type="info">{`The output${of} was deleted on ${exactTime(at)} by ${by}.`}</Alert>;
}
