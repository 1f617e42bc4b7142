import { ApiError } from '../../../contract/errors.ts';
import { isOutputDeleted } from '../../lifecycle/deleted-output.ts';
import type { Job } from '../../lifecycle/job.ts';

/** @throws ApiError `output_deleted`, with when and by whom, if what the attempt wrote was deleted by request */
export function requireKept(job: Pick<Job, 'output_deleted'>, attempt: number): void {
  const { output_deleted: deleted } = job;
  if (deleted === undefined || !isOutputDeleted(job, attempt)) return;
  throw ApiError.of('output_deleted', { deleted_at: deleted.at, deleted_by: deleted.by });
}
