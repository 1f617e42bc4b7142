import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { auditLog, auditQuery } from '../schemas/audit.ts';

export const listAuditLogs = defineRoute({
  id: 'audit-logs.list',
  method: 'GET',
  path: '/audit-logs',
  auth: { kind: 'principal', scope: 'logs' },
  summary: 'List audit log entries',
  description: `Entries cover the last ${LIMITS.auditDays} days, newest first: sign-ins, changes to tokens, configuration, the vendor account, bindings and projects, and actions on jobs. Job creation is not logged here; see the job's \`created_by\`.`,
  query: auditQuery,
  responses: { 200: { description: 'A page of audit log entries.', schema: auditLog } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { audit: 'read' },
});
