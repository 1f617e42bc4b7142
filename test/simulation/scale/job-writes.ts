import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { decide } from '../../../lib/jobs/lifecycle/lifecycle.ts';
import { monthPartition } from '../../../lib/jobs/store/month-partitions.ts';
import { type IndexSpec, TABLES } from '../../../lib/platform/aws/tables.ts';
import { aJob, aReceipt } from '../../lib/jobs/a-job.ts';
import type { Kind } from './partitions.ts';

/** Units that a step of a job's life takes of one partition key. */
export interface Touch {
  /** Table or index, and the value of its partition key; that of a base table is the item's own. */
  readonly place: string;
  readonly key: string;
  readonly units: number;
  /** Default: writes. */
  readonly kind?: Kind;
}

/** The steps of a life, each of which is one write of the job. */
export const STEPS = ['create', 'claim', 'end'] as const;
export type Step = (typeof STEPS)[number];

type Item = Readonly<Record<string, unknown>>;

/** What the service writes for a short shell job: the real lifecycle, index keys and projections. */
export function writesOfLife(name: string, projectId: string): Readonly<Record<Step, readonly Touch[]>> {
  const circumstances = { now: Date.parse('2026-11-20T10:00:00.000Z'), random: () => 0 };
  const queued = aJob({ id: jobIdOfKey(name), project_id: projectId, project: projectId });
  const running = decided(decide(queued, { type: 'claim', workerId: 'worker-1' }, circumstances));
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: running.id, attempt: running.attempt });
  const ended = decided(decide(running, { type: 'end', receipt }, circumstances));
  const [one, two, three] = [queued, running, ended].map((job): Item => ({ ...job, ...indexKeys(job) }));
  const texts = { place: 'Registry', key: monthPartition('texts', queued), units: 1 };
  return {
    create: [texts, ...touches(undefined, one ?? {})],
    claim: touches(one, two ?? {}),
    end: touches(two, three ?? {}),
  };
}

function decided(decision: ReturnType<typeof decide>): Job {
  if ('rejected' in decision) throw new Error(decision.rejected);
  return decision.job;
}

function touches(before: Item | undefined, after: Item): Touch[] {
  const own = { place: 'Jobs', key: String(after.id), units: unitsOf(after) };
  return [own, ...TABLES.jobs.indexes.flatMap((index) => touchesOfIndex(index, before, after))];
}

/** DynamoDB's rule: a changed key deletes the old entry and puts a new one; else only a changed projection is written. */
function touchesOfIndex(index: IndexSpec, before: Item | undefined, after: Item): Touch[] {
  const [was, is] = [before && entryOf(index, before), entryOf(index, after)];
  const touch = (entry: Item): Touch => ({
    place: index.name,
    key: String(entry[index.partitionKey]),
    units: unitsOf(entry),
  });
  const keysOf = (entry: Item | undefined) => entry && [entry[index.partitionKey], entry[index.sortKey]].join();
  if (keysOf(was) !== keysOf(is)) return [was, is].flatMap((entry) => (entry === undefined ? [] : touch(entry)));
  return is === undefined || JSON.stringify(was) === JSON.stringify(is) ? [] : [touch(is)];
}

function entryOf({ partitionKey, sortKey, attributes }: IndexSpec, item: Item): Item | undefined {
  if (item[partitionKey] === undefined) return undefined;
  if (attributes === 'all') return item;
  const names = ['id', partitionKey, sortKey, ...attributes].filter((name) => item[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

/** Names and values in bytes, a unit for each KB begun. */
function unitsOf(item: Item): number {
  const bytes = Object.entries(item).reduce(
    (sum, [name, value]) => sum + (value === undefined ? 0 : name.length + Buffer.byteLength(String(value))),
    0,
  );
  return Math.ceil(bytes / 1_024);
}
