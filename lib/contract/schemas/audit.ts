import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { integerParameter, timeParameter, timestamp } from './fields/text.ts';

export const auditQuery = z.object({
  limit: integerParameter({ ...LIMITS.auditList, description: 'Maximum number of entries to return.' }),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page. Use it with the same filters.' }),
  actor: z.string().min(1).max(300).optional().meta({
    description:
      'Only entries of this principal, such as `token:ci`, `user:ada@example.com` or `job:` and the id of a job.',
  }),
  action: z
    .string()
    .regex(/^[a-z-]+\.[a-z-]+$/, 'expected an action such as jobs.cancel')
    .max(100)
    .optional()
    .meta({ description: 'Only entries with this action, such as `jobs.cancel`.' }),
  since: timeParameter('Only entries at this time or later.'),
  until: timeParameter('Only entries before this time.'),
});

export const auditRow = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.string().meta({ description: 'Kind and name of the principal.', example: 'token:ci' }),
    action: z.string().meta({
      description: 'Id of the operation; `jobs.delegate`: the job that is the actor has started another one.',
      example: 'jobs.cancel',
    }),
    target: z.record(z.string(), z.string()).meta({
      description: 'The resources that the action addressed.',
      example: { id: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f' },
    }),
    source_ip: z
      .string()
      .nullable()
      .meta({ description: 'IP address of the caller; null for a job.', example: '203.0.113.9' }),
    status: z.number().int().meta({ description: 'HTTP status of the response.', example: 200 }),
    request_id: z.string(),
  })
  .meta({ id: 'AuditRow' });

/** `GET /audit-logs`. */
export const auditLog = z
  .object({
    items: z.array(auditRow).meta({
      description: 'Newest first. With filters, a page can contain fewer entries than `limit` although more follow.',
    }),
    next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  })
  .meta({ id: 'AuditLog' });
