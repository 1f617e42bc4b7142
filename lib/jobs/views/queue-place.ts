import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ProfileStore } from '../../catalog/profiles.ts';
import type { JobView } from '../../contract/schemas/jobs/job.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import type { Registry } from '../../platform/registry.ts';
import { slotsOf } from '../admission/profile-slots.ts';
import { startedBy } from '../admission/shared-folders.ts';
import { automationSlot, readSlots } from '../admission/slots.ts';
import { indexKeys } from '../indexes/index-keys.ts';
import { automationOf } from '../lifecycle/cause.ts';
import { effectOf } from '../lifecycle/effects.ts';
import { GATES, gateOf } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';
import { ownFolder } from '../lifecycle/working-folder.ts';
import { knownJobs } from '../store/read-job.ts';

/** Waiting jobs that one answer counts at most. */
const MAX_COUNTED = 500;

/** Dependencies for finding a job's position in the queue. */
interface QueueContext extends Registry {
  readonly jobsTable: string;
  readonly profiles: Pick<ProfileStore, 'get'>;
}

/** A queued job's position among those that wait for the same, and the jobs that use it; null if it does not wait. */
export async function queuePlace(context: QueueContext, job: Job): Promise<JobView['queue']> {
  if (job.status !== 'QUEUED') return null;
  const [line, held_by] = await Promise.all([lineBefore(context, job), holdersOf(context, job)]);
  return { ...line, held_by };
}

/** Jobs that wait for the vendor continue together: none is ahead of another. */
async function lineBefore(context: QueueContext, job: Job): Promise<{ ahead: number | null; ahead_complete: boolean }> {
  const { ready_key, ready_order } = indexKeys(job);
  const gate = gateOf(job);
  const isInLine = job.parked === undefined || (gate !== undefined && GATES[gate.kind].order === 'best');
  if (ready_key === undefined || ready_order === undefined || !isInLine) return { ahead: null, ahead_complete: false };
  const { table, jobsTable } = context;
  const { Count = 0, LastEvaluatedKey } = await table.send(
    new QueryCommand({
      TableName: jobsTable,
      IndexName: 'ready',
      Select: 'COUNT',
      KeyConditionExpression: '#key = :key AND #order < :order',
      ExpressionAttributeNames: { '#key': 'ready_key', '#order': 'ready_order' },
      ExpressionAttributeValues: { ':key': ready_key, ':order': ready_order },
      Limit: MAX_COUNTED,
    }),
  );
  return { ahead: Count, ahead_complete: LastEvaluatedKey === undefined };
}

/** The jobs that use the folder, the profile's slots or the automation that a job waits for. */
async function holdersOf(context: QueueContext, job: Job): Promise<string[]> {
  const { table, jobsTable } = context;
  if (job.waits_for !== undefined) return [job.waits_for];
  const places = await awaitedPlaces(context, job);
  if (places.length === 0) return [];
  const slots = await readSlots(context, places);
  const read = async (ids: readonly string[]) => {
    const keys = ids.map((id) => ({ id }));
    return knownJobs(await batchGet(table, jobsTable, keys));
  };
  const ids = [...new Set([...slots.values()].map(({ job_id }) => job_id))].filter((id) => id !== job.id);
  const holders = await read(ids);
  const found = holders.filter((holder) => isStillThere(holder, new Set(places)));
  return [...idsOf(found), ...idsOf(await lendersOf(job, holders, read))];
}

function idsOf(jobs: readonly Job[]): string[] {
  return jobs.map(({ id }) => id).sort();
}

/**
 * The running jobs whose agents started those that took a folder last: they work there too. No job waits for the one
 * whose agent started it.
 */
async function lendersOf(
  waiting: Job,
  holders: readonly Job[],
  read: (ids: readonly string[]) => Promise<readonly Job[]>,
): Promise<Job[]> {
  const lenders: Job[] = [];
  for (let jobs = waiting.parked === 'folder_busy' ? holders : []; jobs.length > 0; ) {
    const above = jobs.flatMap((job) => startedBy(job) ?? []).filter((id) => id !== startedBy(waiting));
    jobs = above.length === 0 ? [] : await read(above);
    lenders.push(...jobs.filter((job) => job.status === 'RUNNING' && ownFolder(job) === ownFolder(waiting)));
  }
  return lenders;
}

/** The job, with the one that has the folder for which it waits. */
export function withHolder(job: Job, queue: JobView['queue']): Job {
  const [holder] = queue?.held_by ?? [];
  return job.parked === 'folder_busy' && holder !== undefined ? { ...job, waits_for: holder } : job;
}

async function awaitedPlaces({ profiles }: QueueContext, job: Job): Promise<string[]> {
  const { kind, key = '' } = gateOf(job) ?? {};
  if (kind === 'profile') return (await slotsOf({ profiles }, key)) ?? [];
  if (kind === 'automation') return [automationSlot(key)];
  return kind === 'folder' ? [key] : [];
}

/** A slot record outlives its attempt; deploy commands may still work in the folder of a succeeded job. */
function isStillThere(holder: Job, places: ReadonlySet<string>): boolean {
  if (holder.status !== 'RUNNING') return effectOf(holder, 'commands') !== undefined;
  const automation = automationOf(holder.cause);
  const taken = [holder.folder, holder.place, automation && automationSlot(automation)];
  return taken.some((place) => place !== undefined && places.has(place));
}
