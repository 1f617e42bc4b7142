import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { STATUSES } from '../../contract/statuses.ts';
import { sum } from '../../counters/counted-sums.ts';
import type { StatusCounts } from '../../counters/counts.ts';
import { STATS_KINDS, tokensOf } from '../../counters/stats-items.ts';
import { isEventId } from '../../platform/event-rows.ts';
import { registryItems } from '../../platform/registry-page.ts';
import { countedJobSchema, endsOf, statsChanges } from './stats-store.ts';

/** The stored value of an item of statistics, and the value counted from the jobs. */
interface StatsDifference {
  readonly item: string;
  readonly attribute: string;
  readonly kept: number;
  readonly counted: number;
}

/**
 * Computes the statistics from the jobs, one by one, and compares them with the stored ones: jobs by state and tokens
 * of each project, the ends of each day, tokens over all days and over all models. The history of removed jobs is
 * stored and can't be counted, so it shows as a difference.
 */
export async function recountStats(
  table: DynamoDBDocumentClient,
  names: { readonly jobsTable: string; readonly registryTable: string },
): Promise<{ jobs: number; differences: StatsDifference[] }> {
  const { jobs, counted } = await count(table, names.jobsTable);
  const kept = await storedStats({ table, registryTable: names.registryTable });
  const differences = [...new Set([...kept.keys(), ...counted.keys()])].flatMap((item) => {
    const [ofKept, ofCounted] = [kept.get(item) ?? {}, counted.get(item) ?? {}];
    return Object.keys({ ...ofKept, ...ofCounted })
      .map((attribute) => ({ item, attribute, kept: ofKept[attribute] ?? 0, counted: ofCounted[attribute] ?? 0 }))
      .filter((pair) => pair.kept !== pair.counted);
  });
  return { jobs, differences };
}

type StatsByItem = Map<string, Record<string, number>>;

/** The day and model of tokens are known only at the time of use, so they are compared as a whole. */
const ALL_DAYS = 'all days';
const ALL_MODELS = 'all models';

async function count(
  table: DynamoDBDocumentClient,
  jobsTable: string,
): Promise<{ jobs: number; counted: StatsByItem }> {
  const counted: StatsByItem = new Map();
  const add = (item: string, numbers: Readonly<Record<string, number>>) =>
    counted.set(item, sum(counted.get(item) ?? {}, numbers));
  let jobs = 0;
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new ScanCommand({ TableName: jobsTable, ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) }),
    );
    for (const item of page.Items ?? []) {
      if (isEventId(item.id)) continue;
      jobs += 1;
      const job = countedJobSchema.parse(item);
      for (const change of statsChanges(undefined, job))
        if (change.kind === STATS_KINDS.project) add(`${change.kind} ${change.id}`, change.add);
      for (const change of endsOf(job, 1)) add(`${change.kind} ${change.id}`, change.add);
      for (const all of [ALL_DAYS, ALL_MODELS]) add(all, tokensOf(job));
    }
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return { jobs, counted };
}

async function storedStats(registry: Parameters<typeof registryItems>[0]): Promise<StatsByItem> {
  const kept: StatsByItem = new Map();
  const add = (item: string, numbers: Readonly<Record<string, number>>) =>
    kept.set(item, sum(kept.get(item) ?? {}, numbers));
  for (const kind of Object.values(STATS_KINDS)) {
    for await (const item of registryItems(registry, kind)) {
      const tokens = numbersIn(item, (name) => name.startsWith('t_'));
      const others = numbersIn(item, (name) => !name.startsWith('t_'));
      if (kind === STATS_KINDS.project) add(`${kind} ${item.id}`, { ...tokens, ...others });
      if (kind === STATS_KINDS.day) {
        add(`${kind} ${item.id}`, others);
        add(ALL_DAYS, tokens);
      }
      if (kind === STATS_KINDS.model) add(ALL_MODELS, tokens);
    }
  }
  return kept;
}

function numbersIn(item: Readonly<Record<string, unknown>>, wanted: (name: string) => boolean): Record<string, number> {
  return Object.fromEntries(
    Object.entries(item).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && wanted(entry[0])),
  );
}

/** Counts the jobs in each state one by one: slow, but independent of the stored counts. */
export async function recount(table: DynamoDBDocumentClient, jobsTable: string): Promise<StatusCounts> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as StatusCounts;
  let from: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new ScanCommand({
        TableName: jobsTable,
        ProjectionExpression: 'id, #status',
        ExpressionAttributeNames: { '#status': 'status' },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const { id, status } of page.Items ?? []) if (!isEventId(id)) counts[status as keyof StatusCounts] += 1;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return counts;
}
