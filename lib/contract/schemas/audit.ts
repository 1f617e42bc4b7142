import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { integerParameter, timestamp } from './fields/text.ts';

/** An instant as clients write it; any offset, any precision. */
const instant = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'expected a time such as 2026-11-20T10:41:00Z' })
    .transform((text) => new Date(text).toISOString())
    .optional()
    .meta({ description, override: { type: 'string', format: 'date-time' } });

export const auditQuery = z.object({
  limit: integerParameter({ ...LIMITS.auditList, description: 'How many rows at the most.' }),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: '`next_cursor` of the page before, with the same filters.' }),
  actor: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .meta({ description: 'Only what this principal did, such as `token:ci` or `user:ada@example.com`.' }),
  action: z
    .string()
    .regex(/^[a-z-]+\.[a-z-]+$/, 'expected an action such as jobs.cancel')
    .max(100)
    .optional()
    .meta({ description: 'Only this action, such as `jobs.cancel`.' }),
  since: instant('Only from then on.'),
  until: instant('Only before then.'),
});

export const auditRow = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.string().meta({ description: 'Who: the kind of principal and its name.', example: 'token:ci' }),
    action: z.string().meta({ description: 'What.', example: 'jobs.cancel' }),
    target: z
      .record(z.string(), z.string())
      .meta({ description: 'To what.', example: { id: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f' } }),
    source_ip: z.string().nullable().meta({ description: 'From where.', example: '203.0.113.9' }),
    status: z.number().int().meta({ description: 'HTTP status of the answer.', example: 200 }),
    request_id: z.string(),
  })
  .meta({ id: 'AuditRow' });

/** `GET /audit-logs`. */
export const auditLog = z
  .object({
    items: z.array(auditRow).meta({
      description: 'Newest first. With filters a page can hold fewer rows than asked for although more follow.',
    }),
    next_cursor: z.string().nullable().meta({ description: 'null: nothing follows.' }),
  })
  .meta({ id: 'AuditLog' });
