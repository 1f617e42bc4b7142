import { PutObjectCommand } from '@aws-sdk/client-s3';
import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { receiptKey } from '../../../lib/jobs/output/output-keys.ts';
import { ENV } from '../model/environment.ts';
import type { Item } from '../model/expressions.ts';
import type { ModelDeployment } from './deployment.ts';

/** Long before a world begins, so that whatever goes by age meets these jobs first. */
const LONG_AGO = '2020-01-01T00:00:00.000Z';

/** Jobs that a later version left in the tables: nothing in a world may change them, and they may keep nothing back. */
export function addLaterJobs(deployment: ModelDeployment): void {
  for (const job of laterJobs()) deployment.addLater(job);
  const key = receiptKey('later-outcome', 1);
  const outcome = { kind: 'asked', reason: 'question_asked', exit_code: null, signal: null };
  const receipt = {
    ...{ version: 1, job_id: 'later-outcome', attempt: 1, worker_id: 'later', outcome, composed_prompt: '' },
    ...{ started_at: LONG_AGO, finished_at: LONG_AGO, documents: [] },
    streams: { stdout: NOTHING, stderr: NOTHING },
  };
  const input = { Bucket: ENV.OUTPUT_BUCKET, Key: key, Body: JSON.stringify(receipt) };
  deployment.objects.perform(new PutObjectCommand(input));
}

const NOTHING = { bytes: 0, lines: 0, sha256: '', complete: true };

function laterJobs(): Item[] {
  const lost = { status: 'RUNNING', attempt: 1, worker_id: 'later', lease_until: LONG_AGO } as const;
  const limit = { parked: 'usage_limit', due_at: LONG_AGO } as const;
  return [
    // Four, so that the first page of a band holds nothing else.
    ...[1, 2, 3, 4].map((at) => ({ ...job(`later-reason-${at}`, { priority: 9 }), reason: 'budget_reached' })),
    { ...job('later-limit', limit), reason: 'vendor_asleep' },
    { ...job('later-parked', {}), parked: 'question_asked', reason: 'question_asked', ready_key: 'parked#question' },
    { ...job('later-running', lost), reason: 'answering' },
    job('later-outcome', { ...lost, reason: 'running' }),
    { ...job('later-state', {}), status: 'PAUSED', reason: 'paused', status_key: 'PAUSED#0' },
  ];
}

function job(id: string, differences: Partial<Job>): Item {
  const made: Job = {
    ...{ id, status: 'QUEUED', reason: 'waiting_for_worker', project_id: 'p2', project: 'p2', profile: 'codex' },
    ...{ priority: 0, retries: 0, prompt_preview: '', texts: '', created_by: 'later' },
    ...{ created_at: LONG_AGO, updated_at: LONG_AGO, queued_at: LONG_AGO, attempt: 0, version: 1, change_id: id },
    ...{ schema: 1, cause: { kind: 'client' } },
    ...differences,
  } as Job;
  return { ...made, ...indexKeys(made) };
}
