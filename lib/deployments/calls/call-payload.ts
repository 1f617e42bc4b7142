import { BASE_PATH } from '../../contract/route.ts';
import type { Job } from '../../jobs/lifecycle/job.ts';
import type { Receipt } from '../../jobs/receipts/receipt.ts';

/** The body of the call that reports a job's success, in the format of Standard Webhooks: type, timestamp, data. */
export function callPayload(job: Job, receipt: Receipt, publicUrl: string | undefined): string {
  const path = `${BASE_PATH}/jobs/${job.id}/result`;
  return JSON.stringify({
    type: 'job.succeeded',
    timestamp: receipt.finished_at,
    data: {
      job: {
        id: job.id,
        status: 'SUCCEEDED',
        attempt: receipt.attempt,
        project_id: job.project_id,
        project: job.project,
        profile: job.profile,
        model: job.model ?? null,
        cwd: job.cwd ?? null,
        parent_id: job.ancestors?.at(-1)?.id ?? null,
        created_by: job.created_by,
        created_at: job.created_at,
        started_at: receipt.started_at,
        finished_at: receipt.finished_at,
        exit_code: receipt.outcome.exit_code,
        usage: receipt.usage ?? null,
      },
      result_path: path,
      // The address is safe to send: reading it takes a token.
      result_url: publicUrl === undefined ? null : new URL(path, publicUrl).href,
    },
  });
}
