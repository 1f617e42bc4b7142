import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { auditLog, auditQuery } from '../schemas/audit.ts';

export const listAuditLogs = defineRoute({
  id: 'audit-logs.list',
  method: 'GET',
  path: '/audit-logs',
  scope: 'logs',
  summary: 'Read who did what, newest first',
  description: `Sign-ins, changes of tokens, configuration, account, bindings and projects, and actions on jobs, of the last ${LIMITS.auditDays} days. Creating a job is not among them: the job itself says who created it.`,
  query: auditQuery,
  responses: { 200: { description: 'A page of what was done.', schema: auditLog } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { audit: 'read' },
});
