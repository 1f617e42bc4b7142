import { isDeepStrictEqual } from 'node:util';
import { isTerminal, STATUSES } from '../../lib/contract/schemas/job.ts';
import { JobCounts } from '../../lib/jobs/counts.ts';
import type { Job } from '../../lib/jobs/job.ts';
import type { Acknowledged } from './clients.ts';
import type { ModelAgents } from './model-agent.ts';
import type { ModelClient } from './model-client.ts';
import { ENV, type ModelDeployment } from './model-deployment.ts';

/** Whether a job has ended, or waits for somebody else. */
export function isAtRest(job: Job): boolean {
  return isTerminal(job.status) || job.status === 'DRAFT' || job.parked !== undefined;
}

/** What is wrong once the faults are over and everything has had time to settle. */
export async function faultsAtRest(
  deployment: ModelDeployment,
  client: ModelClient,
  world: { readonly acknowledged: Acknowledged; readonly agents: ModelAgents },
): Promise<string[]> {
  const jobs = deployment.allJobs();
  const ids = new Set(jobs.map(({ id }) => id));
  const counts = await new JobCounts(client.table, ENV.REGISTRY_TABLE).read();
  const recount = Object.fromEntries(STATUSES.map((status) => [status, 0]));
  for (const { status } of jobs) recount[status] = (recount[status] ?? 0) + 1;
  const keys = jobs.map((job) => job.idempotency_key).filter((key) => key !== undefined);
  const texts = new Set(deployment.registry.all().map(({ id }) => id));
  return [
    ...jobs
      .filter((job) => !isAtRest(job))
      .map((job) => `${deployment.nameOf(job.id)} stays ${job.status} (${job.reason})`),
    ...[...world.acknowledged.ids]
      .filter((id) => !ids.has(id))
      .map((id) => `${deployment.nameOf(id)} was acknowledged and is lost`),
    ...jobs
      .filter((job) => !texts.has(`${job.id}#${job.texts}`))
      .map(({ id }) => `${deployment.nameOf(id)} has no texts`),
    ...jobs
      .filter(({ id, status, attempt }) => status === 'SUCCEEDED' && !deployment.hasReceipt(id, attempt))
      .map(({ id }) => `${deployment.nameOf(id)} succeeded without a receipt`),
    ...(new Set(keys).size === keys.length ? [] : ['two jobs have one key']),
    ...(isDeepStrictEqual({ ...counts }, recount)
      ? []
      : [`counts are ${JSON.stringify(counts)}, a recount gives ${JSON.stringify(recount)}`]),
    ...[...world.agents.live].map((run) => `attempt ${run.attempt} of ${deployment.nameOf(run.job)} still runs`),
  ];
}
