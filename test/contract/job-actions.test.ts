import { expect, test } from 'vitest';
import { hasEffect, isEditable, JOB_ACTIONS, type JobAction } from '../../lib/contract/job-actions.ts';
import { STATUSES } from '../../lib/contract/statuses.ts';
import { jobItemSchema } from '../../lib/jobs/lifecycle/job.ts';
import { decide } from '../../lib/jobs/lifecycle/lifecycle.ts';

const AT = '2026-01-01T00:00:00.000Z';

test('an action is offered in just the states in which the lifecycle lets it change a job', () => {
  const disagreements = (Object.keys(JOB_ACTIONS) as JobAction[]).flatMap((action) =>
    STATUSES.filter((status) => hasEffect(action, status) !== changes(action, status)).map(
      (status) => `${action} of ${status}`,
    ),
  );
  expect(disagreements).toEqual([]);
});

test('a job can be updated while it is a draft or waits', () => {
  expect(STATUSES.filter(isEditable)).toEqual(['DRAFT', 'QUEUED']);
});

function changes(action: JobAction, status: (typeof STATUSES)[number]): boolean {
  const job = jobItemSchema.parse({
    id: 'j',
    schema: 1,
    status,
    reason: 'exited',
    project_id: 'p',
    project: 'p',
    profile: 'shell',
    priority: 0,
    retries: 0,
    prompt_preview: '',
    texts: 't',
    created_by: 'token:t',
    created_at: AT,
    updated_at: AT,
    attempt: 1,
    version: 1,
    change_id: 'c',
    cause: { kind: 'client' },
    ...(status === 'RUNNING' && { lease_until: '2026-01-01T00:00:30.000Z' }),
  });
  const event = action === 'edit' ? { type: action, changes: {} } : { type: action };
  const decision = decide(job, event, { now: Date.parse(AT), random: () => 0 });
  return 'job' in decision && decision.job !== job;
}
