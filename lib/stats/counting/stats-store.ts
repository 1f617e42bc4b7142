import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { isTerminal } from '../../contract/statuses.ts';
import { type Addition, addOnce, sum } from '../../counters/counted-sums.ts';
import { STATS_KINDS, tokensOf } from '../../counters/stats-items.ts';
import { jobItemSchema } from '../../jobs/lifecycle/job.ts';
import type { Registry } from '../../platform/registry.ts';
import { bucketOf } from './log-buckets.ts';

/**
 * Statistics are sums, updated from the stream of the Jobs table. Each change of a job, as the job before and after,
 * becomes additions to the items of its project, day and model: states, tokens, and buckets of waits and durations.
 * Additions of one batch are joined by item, and each carries its position in the stream, so that a repeated batch
 * counts once.
 */

/** The members of a job from which statistics are computed. */
export const countedJobSchema = jobItemSchema.pick({
  status: true,
  project_id: true,
  profile: true,
  model_used: true,
  queued_at: true,
  started_at: true,
  finished_at: true,
  updated_at: true,
  usage: true,
  earlier_usage: true,
});
type CountedJob = z.output<typeof countedJobSchema>;

/** What a change of a job adds to one item of statistics. */
interface StatsChange {
  readonly kind: (typeof STATS_KINDS)[keyof typeof STATS_KINDS];
  readonly id: string;
  /** Numbers by attribute: `n_STATUS` jobs, `t_…` tokens, `w_BUCKET` waits, `d_BUCKET` durations. */
  readonly add: Readonly<Record<string, number>>;
  /** When the job changed its state. */
  readonly activeAt?: string;
}

/**
 * What a change of a job adds to the statistics: its state to its project, its end to that day, its tokens to day,
 * project and model. Removing a job subtracts it from its project's count; its history stays.
 */
export function statsChanges(before: CountedJob | undefined, after: CountedJob | undefined): StatsChange[] {
  const job = after ?? before;
  if (job === undefined) return [];
  const tokens = after === undefined ? {} : sum(tokensOf(after), negative(tokensOf(before)));
  const moved = before?.status !== after?.status;
  const changes: StatsChange[] = [
    // An edited draft may have come from another project.
    { kind: STATS_KINDS.project, id: before?.project_id ?? job.project_id, add: negative(statusOf(before)) },
    {
      kind: STATS_KINDS.project,
      id: job.project_id,
      add: sum(statusOf(after), tokens),
      ...(moved && after !== undefined && { activeAt: after.updated_at }),
    },
    { kind: STATS_KINDS.day, id: dayOf(job.updated_at), add: tokens },
    { kind: STATS_KINDS.model, id: job.model_used ?? `(default of ${job.profile})`, add: tokens },
    ...(after === undefined ? [] : [...endsOf(before, -1), ...endsOf(after, 1)]),
  ];
  return merged(changes);
}

/** What the end of a job adds, and to which item. */
export function endsOf(job: CountedJob | undefined, times: 1 | -1): StatsChange[] {
  if (job === undefined || !isTerminal(job.status) || job.finished_at === undefined) return [];
  const [queued, started, finished] = [job.queued_at, job.started_at, job.finished_at].map((at) =>
    Date.parse(at ?? ''),
  );
  const waited = (started ?? Number.NaN) - (queued ?? Number.NaN);
  const ran = (finished ?? Number.NaN) - (started ?? Number.NaN);
  // A job that ended in the queue may still record when an earlier round started.
  const hasRun = waited >= 0 && ran >= 0;
  const add = {
    [`n_${job.status}`]: times,
    ...(hasRun && { [`w_${bucketOf(waited)}`]: times, [`d_${bucketOf(ran)}`]: times }),
  };
  return [{ kind: STATS_KINDS.day, id: dayOf(job.finished_at), add }];
}

/** The day of a time, in UTC. */
export function dayOf(time: string): string {
  return time.slice(0, 10);
}

function statusOf(job: CountedJob | undefined): Record<string, number> {
  return job === undefined ? {} : { [`n_${job.status}`]: 1 };
}

/** One change for each item, without empty ones. */
function merged(changes: readonly StatsChange[]): StatsChange[] {
  const byItem = new Map<string, StatsChange>();
  for (const change of changes) {
    const key = `${change.kind}#${change.id}`;
    const known = byItem.get(key);
    byItem.set(key, { ...known, ...change, add: sum(known?.add ?? {}, change.add) });
  }
  return [...byItem.values()].filter(({ add }) => Object.keys(add).length > 0);
}

function negative(addition: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(addition).map(([name, value]) => [name, -value]));
}

/** A change of a job from the table's stream, with the job before and after. */
export interface CountedChange {
  /** Position in its shard: a decimal number as text, ascending. */
  readonly sequence: string;
  readonly before: CountedJob | undefined;
  readonly after: CountedJob | undefined;
}

/** Statistics of days, models and projects, updated from the stream of the Jobs table: each change counts once. */
export class StatsStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async apply(shard: string, changes: readonly CountedChange[]): Promise<void> {
    const byItem = new Map<string, { key: Pick<StatsChange, 'kind' | 'id'>; additions: Addition[] }>();
    for (const { sequence, before, after } of changes) {
      for (const { kind, id, add, activeAt } of statsChanges(before, after)) {
        const known = byItem.get(`${kind}#${id}`) ?? { key: { kind, id }, additions: [] };
        known.additions.push({ sequence, add, activeAt });
        byItem.set(`${kind}#${id}`, known);
      }
    }
    await Promise.all(
      [...byItem.values()].map(({ key, additions }) => addOnce(this.#registry, key, { shard, additions })),
    );
  }

  /** Items of a kind in the order of their ids, from one Query: a megabyte, or `limit`. */
  async list(
    kind: StatsChange['kind'],
    { from = ' ', limit }: { from?: string; limit: number },
  ): Promise<{ items: Record<string, unknown>[]; more: boolean }> {
    const { table, registryTable } = this.#registry;
    const { Items = [], LastEvaluatedKey } = await table.send(
      new QueryCommand({
        TableName: registryTable,
        KeyConditionExpression: 'kind = :kind AND id >= :from',
        ExpressionAttributeValues: { ':kind': kind, ':from': from },
        Limit: limit,
      }),
    );
    return { items: Items, more: LastEvaluatedKey !== undefined };
  }
}
