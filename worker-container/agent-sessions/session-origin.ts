import { createHash } from 'node:crypto';
import { AGENT_DEFINITIONS } from '../../lib/contract/agents.ts';
import type { SessionRecord } from '../../lib/jobs/output/agent-sessions/session-record.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import type { Agent } from '../agents/agent.ts';

/** What made a session, besides its agent and vendor. Absent: not known. */
export type SessionOrigin = Pick<SessionRecord, 'cli_version' | 'account'>;

/**
 * @param env the agent's environment
 * @param login the name of the linked account, if the agent uses it
 */
export async function sessionOrigin(
  agent: Agent,
  env: Readonly<Record<string, string>>,
  login: string | undefined,
): Promise<SessionOrigin> {
  const cliVersion = await agent.cliVersion?.(env);
  const names = Object.values<string>(AGENT_DEFINITIONS[agent.name].credentials);
  const account = login ?? names.map((name) => env[name]).find((value) => value !== undefined);
  return {
    ...(cliVersion !== undefined && { cli_version: cliVersion }),
    ...(account !== undefined && { account: createHash('sha256').update(account).digest('hex').slice(0, 16) }),
  };
}

/** Whether a version of a CLI is older than another one. */
export function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined) return false;
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

/** The session was made by a newer CLI than this worker's. */
export class OlderCliError extends Error {
  override readonly name = 'OlderCliError';

  constructor(made: SessionOrigin, own: SessionOrigin) {
    super(`version ${made.cli_version} of the CLI made the session; this worker has ${own.cli_version}`);
  }
}

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
