import { expect, it } from 'vitest';
import { auditChildren } from '../../../lib/access/audit-children.ts';
import type { AuditEntry } from '../../../lib/access/audit-log.ts';

it('the jobs that a job started in its own name are recorded, and no others', async () => {
  const entries: AuditEntry[] = [];
  const record = async (entry: AuditEntry) => void entries.push(entry);
  const created_at = '2026-11-20T10:00:00.000Z';
  await auditChildren({ record }, [
    { id: 'job_child', parent_id: 'job_parent', created_by: 'job:job_parent', created_at },
    { id: 'job_follow_up', parent_id: 'job_parent', created_by: 'token:ci', created_at },
    { id: 'job_alone', created_by: 'token:ci', created_at },
  ]);
  expect(entries).toEqual([
    {
      ...{ actor: 'job:job_parent', action: 'jobs.delegate', target: { id: 'job_child' }, sourceIp: undefined },
      ...{ status: 201, requestId: 'job_child', at: created_at },
    },
  ]);
});
