import type { AuditLog } from './audit-log.ts';

/** The action of a job that has started another one in its own name. */
export const DELEGATION = 'jobs.delegate';

/** A job that was created in the name of another one. */
interface Delegated {
  readonly id: string;
  /** The job that started it, as `job:ID`. */
  readonly created_by: string;
  /** RFC 3339. */
  readonly created_at: string;
}

/**
 * Records the jobs that jobs have started in their own name. Workers create them, and may not write audit rows, since a
 * right to write a row is one to replace any other. A batch of the stream that is repeated writes the same rows.
 */
export async function auditChildren(audit: Pick<AuditLog, 'record'>, created: readonly Delegated[]): Promise<void> {
  await Promise.all(
    created.map(async ({ id, created_by: actor, created_at: at }) => {
      await audit.record({
        actor,
        action: DELEGATION,
        target: { id },
        sourceIp: undefined,
        status: 201,
        requestId: id,
        at,
      });
    }),
  );
}
