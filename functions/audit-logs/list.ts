import { handle } from '../../lib/api/serve.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { listAuditLogs as route } from '../../lib/contract/routes/audit.ts';

/** `GET /audit-logs` */
export const handler = handle(
  route,
  ({ audit }) => audit,
  async ({ query: { limit = LIMITS.auditList.default, ...query } }, _call, audit) => {
    const { items, nextCursor } = await audit.list({ limit, ...query });
    return { body: { items: [...items], next_cursor: nextCursor ?? null } };
  },
);
