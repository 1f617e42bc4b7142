import { LIMITS } from '../../lib/contract/limits.ts';
import { listAuditLogs as route } from '../../lib/contract/routes/audit.ts';
import { serve } from '../../lib/http/serve.ts';

/** `GET /audit-logs` */
export const handler = serve(
  route,
  ({ audit }) => audit,
  async ({ query: { limit = LIMITS.auditList.default, ...query } }, _call, audit) => {
    const { items, nextCursor } = await audit.list({ limit, ...query });
    return { body: { items: [...items], next_cursor: nextCursor ?? null } };
  },
);
