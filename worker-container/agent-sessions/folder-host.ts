import { createHash } from 'node:crypto';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';

/**
 * Names the machine on which a folder outside the workspaces is, so that its sessions are continued only there. A worker
 * of a deployment has a file system that ends with it. The workers of a local run follow one another on one machine, and
 * all see its folders.
 */
export function folderHost({
  env,
  workerId,
}: {
  readonly env: Pick<WorkerEnv, 'PROMPTQ_RUN_HOME'>;
  readonly workerId: string;
}): string {
  const home = env.PROMPTQ_RUN_HOME;
  if (home === undefined) return workerId;
  return `local-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
}
