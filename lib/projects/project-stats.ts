import { BatchGetCommand, type BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { TokenSums } from '../contract/schemas/stats.ts';
import { STATUSES } from '../contract/statuses.ts';
import type { Registry } from '../platform/registry.ts';
import type { StatusCounts } from '../stats/counting/counts.ts';
import { STATS_KINDS, shownTokens } from '../stats/counting/job-stats.ts';
import type { Project } from './projects.ts';

/** A project with its counters. */
export interface ProjectWithStats<P extends Project = Project> {
  readonly project: P;
  readonly jobCounts: StatusCounts;
  readonly tokens: TokenSums;
  /** When one of its jobs last changed its state. */
  readonly lastActivityAt: string | null;
}

/** DynamoDB accepts at most this many keys in one request. */
const KEYS_PER_REQUEST = 100;

/** The counters of projects, in the given order. */
export async function readProjectStats<P extends Project>(
  { table, registryTable }: Registry,
  projects: readonly P[],
): Promise<ProjectWithStats<P>[]> {
  const found = new Map<unknown, Record<string, unknown>>();
  for (let at = 0; at < projects.length; at += KEYS_PER_REQUEST) {
    let left: Record<string, unknown>[] | undefined = projects
      .slice(at, at + KEYS_PER_REQUEST)
      .map(({ id }) => ({ kind: STATS_KINDS.project, id }));
    while (left !== undefined && left.length > 0) {
      const answer: BatchGetCommandOutput = await table.send(
        new BatchGetCommand({ RequestItems: { [registryTable]: { Keys: left } } }),
      );
      for (const item of answer.Responses?.[registryTable] ?? []) found.set(item.id, item);
      left = answer.UnprocessedKeys?.[registryTable]?.Keys;
    }
  }
  return projects.map((project) => {
    const item = found.get(project.id) ?? {};
    return {
      project,
      jobCounts: statusCountsIn(item),
      tokens: shownTokens(item),
      lastActivityAt: typeof item.active_at === 'string' ? item.active_at : null,
    };
  });
}

/** The jobs by state in an item of statistics. */
export function statusCountsIn(item: Readonly<Record<string, unknown>>): StatusCounts {
  return Object.fromEntries(STATUSES.map((status) => [status, Number(item[`n_${status}`] ?? 0)])) as StatusCounts;
}
