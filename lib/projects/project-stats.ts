import type { TokenSums } from '../contract/schemas/stats.ts';
import { STATUSES } from '../contract/statuses.ts';
import { batchGet } from '../platform/aws/batch-get.ts';
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

/** The counters of projects, in the given order. */
export async function readProjectStats<P extends Project>(
  { table, registryTable }: Registry,
  projects: readonly P[],
): Promise<ProjectWithStats<P>[]> {
  const keys = projects.map(({ id }) => ({ kind: STATS_KINDS.project, id }));
  const items = await batchGet(table, registryTable, keys);
  const found = new Map<unknown, Record<string, unknown>>(items.map((item) => [item.id, item]));
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
