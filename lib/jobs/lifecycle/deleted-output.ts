import { isTerminal } from '../../contract/statuses.ts';
import { leftToDo, withEffect } from './effects.ts';
import type { Job } from './job.ts';
import type { Decision } from './job-event.ts';

/*
 * An administrator has what a job's attempts wrote deleted, for example because a secret got into a log. The write that
 * decides it marks the job first: from then on nothing of these attempts is read, and the effect `delete_output` deletes
 * it (`reconciler/delete-output.ts`). A later retry starts from the prompt, and its attempts are not concerned.
 */

/** Whether what an attempt wrote is deleted, or about to be. */
export function isOutputDeleted({ output_deleted: deleted }: Pick<Job, 'output_deleted'>, attempt: number): boolean {
  return deleted !== undefined && attempt <= deleted.attempt;
}

/** The job without the texts of its attempts, and with the deletion of the rest due. The same again changes nothing. */
export function withoutOutput(job: Job, by: string, at: string): Decision {
  if (!isTerminal(job.status))
    return { rejected: `the output of a job can be deleted once the job has ended; this one is ${job.status}` };
  if (job.removing === true) return { rejected: 'the job is being removed' };
  if (isOutputDeleted(job, job.attempt)) return { job };
  // Calls send nothing that an attempt wrote.
  const left = leftToDo(job, ['calls', 'delete_output']);
  if (left.length > 0) {
    const names = left.map((name) => name.replaceAll('_', ' ')).join(', ');
    return { rejected: `what follows the job's end is not done yet (${names}); try again in a minute` };
  }
  const {
    error: _error,
    session_id: _session,
    progress: _progress,
    warnings: _warnings,
    attempt_warnings: _attemptWarnings,
    has_changes: _changes,
    ...rest
  } = job;
  const { attempt } = job;
  const deleted = { ...rest, output_deleted: { at, by, attempt }, updated_at: at };
  return { job: withEffect(deleted, { name: 'delete_output', attempt, since: at }) };
}
