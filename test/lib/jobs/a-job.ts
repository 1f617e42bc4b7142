import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Outcome, Receipt } from '../../../lib/jobs/receipts/receipt.ts';

/** A queued job that no attempt has touched, with the given differences. */
export function aJob(differences: Partial<Job> = {}): Job {
  return {
    id: 'job_00000000000000000000000001',
    schema: 1,
    status: 'QUEUED',
    reason: 'waiting_for_worker',
    project_id: 'local_project',
    project: 'local_project',
    profile: 'practice',
    priority: 0,
    retries: 0,
    prompt_preview: 'hello',
    texts: '0123456789abcdef',
    created_by: 'token:test',
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    queued_at: '2026-11-20T10:00:00.000Z',
    attempt: 0,
    version: 1,
    change_id: 'change-0',
    cause: { kind: 'client' },
    ...differences,
  };
}

/** A job is a follow-up of another one. */
export function followUpOf(parent: string): Pick<Job, 'cause' | 'ancestors'> {
  const cause = { kind: 'follow_up', job: parent, attempt: 1, position: 0 } as const;
  return { cause, ancestors: [{ id: parent, round: 0 }] };
}

/** The agent of another job has started a job. */
export function startedBy(parent: string): Pick<Job, 'cause' | 'ancestors' | 'created_by'> {
  const cause = { kind: 'tool', job: parent, round: 0, key: 'part' } as const;
  return { ...followUpOf(parent), cause, created_by: `job:${parent}` };
}

/** A job whose first attempt runs, its lease good until 10:00:30. */
export function aRunningJob(differences: Partial<Job> = {}): Job {
  return aJob({
    status: 'RUNNING',
    reason: 'running',
    attempt: 1,
    worker_id: 'worker-1',
    started_at: '2026-11-20T10:00:00.000Z',
    lease_until: '2026-11-20T10:00:30.000Z',
    ...differences,
  });
}

/** The receipt of an attempt of `aRunningJob`. */
export function aReceipt(
  outcome: Partial<Outcome> & Pick<Outcome, 'kind' | 'reason'>,
  differences: Partial<Receipt> = {},
): Receipt {
  const nothing = { bytes: 0, lines: 0, sha256: '', complete: true };
  return {
    version: 1,
    job_id: 'job_00000000000000000000000001',
    attempt: 1,
    worker_id: 'worker-1',
    started_at: '2026-11-20T10:00:00.000Z',
    finished_at: '2026-11-20T10:00:10.000Z',
    outcome: { exit_code: 0, signal: null, ...outcome },
    composed_prompt: 'hello',
    streams: { stdout: nothing, stderr: nothing },
    documents: [],
    ...differences,
  };
}
